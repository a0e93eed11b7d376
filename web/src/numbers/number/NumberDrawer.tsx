// One number of a list: who holds it, what it costs and earns, and what may be done about it.
import { Link } from '@tanstack/react-router'
import { numbersRoutes, type NumberDetail } from '@tollgate/contract/numbers/numbers.ts'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { useSession } from '../../api/session.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { formatDateTime } from '../../format/dates.ts'
import { formatRate, formatTariff, formatUsdt } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { t } from '../../language/t.ts'
import { objectPath, recordsPath } from '../../paths.ts'
import { StatusBadge } from '../../ui/Badge.tsx'
import { buttonClass } from '../../ui/Button.tsx'
import { Pairs } from '../../ui/Card.tsx'
import { Drawer, DrawerHead } from '../../ui/Drawer.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { NumberActs } from './NumberActs.tsx'
import { Holdings, numberFacts } from './NumberFacts.tsx'
import { NumberPrices } from './NumberPrices.tsx'

interface NumberDrawerProps {
  /** The open number; empty for none. */
  readonly id: string
  /** The rows of the list, for the next and the previous one. */
  readonly rows: readonly { readonly id: string }[] | undefined
  readonly onOpen: (id: string) => void
}

export function NumberDrawer({ id, rows = [], onOpen }: NumberDrawerProps) {
  const { may } = useSession()
  // Who sees numbers masked has no more to read of them.
  const isOpen = id !== '' && may('numberRequests')
  const number = useApiQuery(numbersRoutes.getAccountNumber, { params: { id } }, { isEnabled: isOpen })
  if (!isOpen) return null
  const index = rows.findIndex((row) => row.id === id)
  const step = (by: 1 | -1) => {
    const next = index === -1 ? undefined : rows[index + by]
    return next && (() => onOpen(next.id))
  }
  const shown = number.data?.id === id ? number.data : undefined
  return (
    <Drawer
      isOpen
      isBesideMany
      onClose={() => onOpen('')}
      label={shown ? t('Number {number}', { number: formatPhone(shown.phoneNumber) }) : t('Number')}
      onNext={step(1)}
      onPrevious={step(-1)}
      actions={
        <Link to={objectPath('number', id)} className={buttonClass('ghost', 'sm')}>
          {t('Open its page')}
        </Link>
      }
      {...(shown && may('numbersManagement') && { foot: <NumberActs key={id} number={shown} /> })}
    >
      {number.error ? (
        <FetchFailure of={number} title={t('Failed to fetch the number')} />
      ) : shown ? (
        <NumberContent number={shown} isStaff={may('numbersManagement')} />
      ) : (
        <Skeleton className="h-64 w-full" />
      )}
    </Drawer>
  )
}

function NumberContent({ number, isStaff }: { readonly number: NumberDetail; readonly isStaff: boolean }) {
  const { phoneNumber, holder, earned, rate, usdPerSms, pricePerSms } = number
  const price = usdPerSms || pricePerSms
  const shown = formatPhone(phoneNumber)
  const cells = [
    { label: t('Rate'), value: formatTariff(rate) },
    { label: t('USD per SMS'), value: price === '' ? t('Weekly bill') : formatRate(price) },
    { label: t('Earned this cycle'), value: earned === '' ? '–' : formatUsdt(earned) },
  ]
  const inHead = cells.map(({ label }) => label)
  return (
    <div className="space-y-5">
      <DrawerHead
        subject={shown}
        badge={<StatusBadge kind="account" status={number.status} />}
        time={
          holder
            ? t('{username} since {time}', { username: holder.username, time: formatDateTime(holder.since) })
            : t('Nobody holds it')
        }
        cells={cells}
      />
      <Pairs items={numberFacts(number, false, isStaff).filter(({ label }) => !inHead.includes(label))} />
      <Link
        to={recordsPath({ number: phoneNumber })}
        aria-label={t('Records of {shown}', { shown })}
        className={buttonClass('secondary', 'sm')}
      >
        {t('Records')}
      </Link>
      <section aria-label={t('USD per SMS')} className="space-y-2">
        <h3 className="font-semibold">{t('USD per SMS')}</h3>
        <NumberPrices id={number.id} />
      </section>
      <section aria-label={t('Holders')} className="space-y-2">
        <h3 className="font-semibold">{t('Holders')}</h3>
        <Holdings holdings={number.holdings} isStaff={isStaff} />
      </section>
    </div>
  )
}
