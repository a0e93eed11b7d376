import { billingRoutes, type BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { useState, type ComponentProps } from 'react'
import type { Refreshed } from '../api/RefreshNote.tsx'
import { ObjectLink } from '../api/ObjectLink.tsx'
import { useSession, useUser } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { billState } from '../amendments/amendment-words.ts'
import { formatBillingPeriod } from '../money/bill-text.ts'
import { amendmentItems, type BillAction } from '../billing/bills/bill-menu.ts'
import { BillDialog } from '../billing/bills/BillDialog.tsx'
import { BillDetails, billFigures, BillInvoices } from '../billing/bills/BillDrawer.tsx'
import { notPayableReason, waitsForDecision } from '../billing/payments/payable.ts'
import { moneyPollMs } from '../money/queries.ts'
import { paths } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Menu } from '../ui/Menu.tsx'
import { useNow } from '../ui/use-now.ts'
import { parseSearch } from '../url-state.ts'
import { PaymentsOf } from './money-lists.tsx'
import { isGone, ObjectPage, ObjectState, useObjectId } from './ObjectPage.tsx'
import { trafficTab, useStaffTabs } from './shared-tabs.tsx'
import { t } from '../language/t.ts'

/** One billing period: what it is made of, what was paid, and its messages. A client sees its own. */
export function BillPage() {
  const id = useObjectId()
  const isStaff = useSession().may('paymentManagement')
  const bill = useApiQuery(billingRoutes.getPeriod, { params: { id } }, { refetchIntervalMs: moneyPollMs })
  const home = isStaff
    ? { label: t('Payment Management'), path: paths.paymentManagement }
    : { label: t('Payment & Billing'), path: paths.payment }
  if (!bill.data || isGone(bill)) return <ObjectState of={bill} kind="bill" home={home} />
  const { data } = bill
  return <BillOf key={id} bill={data} read={bill} home={home} isStaff={isStaff} />
}

interface BillOfProps {
  readonly bill: BillingPeriod
  readonly read: Refreshed
  readonly home: { readonly label: string; readonly path: string }
  readonly isStaff: boolean
}

function BillOf({ bill, read, home, isStaff }: BillOfProps) {
  const staffTabs = useStaffTabs('billing_period', bill.id)
  return (
    <ObjectPage
      name={t('Bill {bill}', { bill: `#${bill.id}` })}
      what={formatBillingPeriod(bill)}
      home={home}
      badge={<StatusBadge kind={isStaff ? 'billingManagement' : 'billing'} status={billState(bill)} />}
      readFrom={[read]}
      actions={isStaff ? <BillActions bill={bill} /> : undefined}
      facts={[
        ...(isStaff
          ? [
              {
                label: t('Client'),
                value: (
                  <ObjectLink kind="person" id={bill.userId}>
                    {bill.userName}
                  </ObjectLink>
                ),
              },
            ]
          : []),
        ...billFigures(bill),
      ]}
      tabs={[
        {
          value: 'overview',
          label: t('Overview'),
          content: (
            <Card
              {...(bill.status !== 'pending' && {
                foot: (
                  <div className="flex flex-wrap gap-2">
                    <BillInvoices bill={bill} />
                  </div>
                ),
              })}
            >
              <div className="max-w-3xl">
                <BillDetails bill={bill} isForStaff={isStaff} />
              </div>
            </Card>
          ),
        },
        trafficTab(filtersOf(bill), 'client'),
        isStaff && {
          value: 'money',
          label: t('Money'),
          content: <PaymentsOf query={{ periodId: bill.id }} />,
        },
        ...staffTabs,
      ]}
    />
  )
}

/** The filters of exactly the bill's messages. */
function filtersOf({ recordsUrl }: BillingPeriod): Record<string, string> {
  return parseSearch(recordsUrl.slice(recordsUrl.indexOf('?')))
}

/** Pay, decide and amend, as in Pending Bills. */
function BillActions({ bill }: { bill: BillingPeriod }) {
  const { username, role } = useUser()
  const now = useNow(60_000)
  const [dialog, setDialog] = useState<ComponentProps<typeof BillDialog>['action']>()
  const viewer = { username, role }
  const onAction = (action: BillAction) => action !== 'open' && setDialog(action)
  const items = amendmentItems(bill, viewer, onAction)
  const isAwaited = bill.approval !== null && bill.approval.requestedBy !== username
  return (
    <>
      {isAwaited ? (
        <Button tone="primary" onClick={() => onAction('pay')}>
          {t('Approve')}
        </Button>
      ) : (
        notPayableReason(bill, now) === undefined && (
          <Button tone="primary" onClick={() => onAction('pay')}>
            {t('Mark as Paid')}
          </Button>
        )
      )}
      {waitsForDecision(bill) && <Button onClick={() => onAction('decide')}>{t('Decide on payment')}</Button>}
      {items.length > 0 && <Menu trigger={<Button>{t('Change this bill')}</Button>} groups={[items]} />}
      {dialog && (
        <BillDialog action={dialog} bill={bill} viewer={viewer} onClose={() => setDialog(undefined)} />
      )}
    </>
  )
}
