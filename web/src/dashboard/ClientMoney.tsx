// A client's money, first on its home page: earned, owed, held, paid, and what comes next with its date.
import { Link } from '@tanstack/react-router'
import { billingRoutes } from '@tollgate/contract/billing/bills.ts'
import { booksRoutes } from '@tollgate/contract/books/books.ts'
import { payoutRoutes } from '@tollgate/contract/billing/payouts.ts'
import type { ReactNode } from 'react'
import { ObjectLink } from '../api/ObjectLink.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useApiPages, useApiQuery } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { formatAmountFigure, formatUsdt } from '../format/money.ts'
import { moneyPollMs } from '../money/queries.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { paths, recordsPath } from '../paths.ts'
import { CycleCount, CycleSplit } from '../records/CycleSplit.tsx'
import { useWeek } from '../records/queries.ts'
import { StatStrip } from '../ui/StatStrip.tsx'
import { nextPaymentOf, type NextPayment } from './next-payment.ts'
import { t } from '../language/t.ts'

const polled = { refetchIntervalMs: moneyPollMs }
// What is unpaid comes first in both lists, and nobody has more of it.
const limit = 100

/** Each figure leads to what it is made of. */
export function ClientMoney({ now }: { now: number }) {
  const week = useWeek()
  const account = useApiQuery(booksRoutes.getOwnAccount, {}, polled)
  const bills = useApiPages(billingRoutes.listPeriods, { query: { sort: 'due', limit } }, polled)
  const payouts = useApiPages(payoutRoutes.listOwnPayouts, { query: { sort: 'status', limit } }, polled)
  const next = bills.rows && payouts.rows && nextPaymentOf(bills.rows, payouts.rows)
  return (
    <div className="space-y-2">
      <StatStrip
        label={t('Your money')}
        under={<RefreshNote of={[week, account, bills, payouts]} />}
        stats={[
          {
            label: t('Earned, open cycle'),
            figure: figureOf(week, ({ earned }) => earned.amountUsd),
            unit: t('USDT'),
            note: week.data && <CycleCount week={week.data} />,
          },
          {
            label: t('Owed'),
            figure: figureOf(account, ({ balance }) => balance),
            unit: t('USDT'),
            note: <MoneyLink tab="billing">{t('bills and payouts not paid yet')}</MoneyLink>,
          },
          {
            label: t('Held'),
            figure: figureOf(account, ({ held }) => held),
            unit: t('USDT'),
            note: (
              <RecordsLink url={recordsPath({ hold: 'held' })} label={t('The SMS that are held')}>
                {t('until somebody has reviewed it')}
              </RecordsLink>
            ),
          },
          {
            label: t('Paid'),
            figure: figureOf(account, ({ received }) => received),
            unit: t('USDT'),
            note: <MoneyLink tab="account">{t('all payments so far')}</MoneyLink>,
          },
          {
            label: t('Next payment'),
            figure:
              next === undefined ? (
                figureOf({ error: bills.error ?? payouts.error }, () => '')
              ) : (
                <NextDate next={next} now={now} />
              ),
            note: next && <NextNote next={next} />,
          },
        ]}
      />
      {(week.data !== undefined || week.error === null) && (
        <p className="min-h-5 px-1 text-ink-3 max-sm:min-h-10">
          {week.data && <CycleSplit week={week.data} />}
        </p>
      )}
    </div>
  )
}

/** An amount of an answer; a dash when it cannot be had, and nothing while it is fetched. */
function figureOf<Answer>(
  { data, error }: { data?: Answer | undefined; error: Error | null },
  amountOf: (answer: Answer) => string,
): string | undefined {
  if (data !== undefined) return formatAmountFigure(amountOf(data))
  return error === null ? undefined : '–'
}

function MoneyLink({ tab, children }: { tab: 'billing' | 'account'; children: ReactNode }) {
  return (
    <Link
      to={paths.payment as string}
      search={{ tab } as never}
      className="text-accent-ink underline underline-offset-2"
    >
      {children}
    </Link>
  )
}

function NextDate({ next, now }: { next: NextPayment | 'none'; now: number }) {
  if (next === 'none')
    return <span className="text-lg font-normal tracking-normal text-ink-3">{t('None due')}</span>
  return Date.parse(next.from) <= now ? t('Due now') : formatDay(next.from)
}

function NextNote({ next }: { next: NextPayment | 'none' }) {
  if (next === 'none') return t('after the open cycle is closed')
  const { amount, bill, from, count } = next
  const words = t('{amount} from {from}', { amount: formatUsdt(amount), from: formatDay(from) })
  if (count > 1 || bill === undefined) return <MoneyLink tab="billing">{words}</MoneyLink>
  return (
    <ObjectLink kind="bill" id={bill}>
      {words}
    </ObjectLink>
  )
}
