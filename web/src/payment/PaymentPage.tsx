import { useUser } from '../api/session.tsx'
import { ComingRate } from '../notifications/ComingRate.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { ListChoice } from '../ui/ListChoice.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { OwnAccount } from '../books/AccountView.tsx'
import { BillingTab } from '../billing/bills/BillingTab.tsx'
import { PrintButton } from '../billing/bills/Statement.tsx'
import { OwnInvoices } from '../invoices/OwnInvoices.tsx'
import { ProfileTab } from './ProfileTab.tsx'
import { VerifyTab } from '../statements/VerifyTab.tsx'
import { useOwnPeriods } from '../money/queries.ts'
import { paymentSearch } from '../billing/search.ts'
import { t } from '../language/t.ts'

/** A client's payment profile, its current earnings and all its bills. Spec §2, Payment & Billing. */
export function PaymentPage() {
  const url = useUrlState(paymentSearch)
  const { role } = useUser()
  const { tab } = url.state
  const choose = (next: typeof tab) => url.set({ tab: next, open: '', check: '' }, true)
  const periods = useOwnPeriods()
  const bills = periods.rows?.filter(({ status }) => status !== 'pending')
  const printed = bills?.find(({ id }) => id === url.state.open) ?? bills?.[0]
  return (
    <>
      <PageHeader
        title={t('Payment & Billing')}
        {...(tab === 'billing' && printed && { actions: <PrintButton bill={printed} /> })}
      >
        {t('Every 7 days your SMS are counted and billed. Support pays USDT to your address.')}
      </PageHeader>
      {role === 'user' && <ComingRate />}
      <Tabs
        label={t('Payment & Billing')}
        value={tab === 'profile' || tab === 'billing' ? tab : 'account'}
        onChange={choose}
        tabs={[
          { value: 'profile', label: t('Profile & USDT Address'), content: <ProfileTab /> },
          {
            value: 'billing',
            label: t('Automated Billing'),
            content: (
              <BillingTab
                periods={periods}
                openId={url.state.open}
                onOpen={(open) => url.set({ open }, true)}
                onProfile={() => choose('profile')}
              />
            ),
          },
          {
            value: 'account',
            label: t('Account'),
            content: (
              <ListChoice
                value={tab}
                onChange={choose}
                lists={[
                  { value: 'account', label: t('Movements'), content: <OwnAccount url={url} /> },
                  {
                    value: 'invoices',
                    label: t('Invoices'),
                    content: <OwnInvoices onProfile={() => choose('profile')} />,
                  },
                  {
                    value: 'check',
                    label: t('Check a statement'),
                    content: <VerifyTab key={url.state.check} billId={url.state.check} />,
                  },
                ]}
              />
            ),
          },
        ]}
      />
    </>
  )
}
