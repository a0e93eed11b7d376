// The split of the open cycle, in the same words on the Dashboard and on the Payment page. Each figure leads to its messages.
import type { weekSchema } from '@tollgate/contract/records/records.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useSession, useUser } from '../api/session.tsx'
import { formatCount, formatUsdt } from '../format/money.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { recordsPath } from '../paths.ts'
import { t } from '../language/t.ts'
import { tNodes } from '../language/t-nodes.tsx'

type Week = z.infer<typeof weekSchema>

/** Bill and payouts, which are what was earned; then what is held and what came late. */
export function CycleSplit({ week }: { week: Week }) {
  const { bill, payouts, earned, held, late } = week
  const linked = useCycleLinks(week)
  const settled = (settlement: 'bill' | 'payout') => ({ settlement, hold: 'none' })
  return (
    <>
      {tNodes('Earned by SMS: {bill} + {payouts} = {earned}.', {
        bill: linked(
          t('{amountUsd} in the bill', { amountUsd: formatUsdt(bill.amountUsd) }),
          t('SMS of the open bill'),
          settled('bill'),
        ),
        payouts: linked(
          t('{amountUsd} in payouts', { amountUsd: formatUsdt(payouts.amountUsd) }),
          t('SMS of the open payouts'),
          settled('payout'),
        ),
        earned: formatUsdt(earned.amountUsd),
      })}
      {held.count > 0 && (
        <>
          {' '}
          {t('{count} SMS worth {amountUsd} are held; they are in neither.', {
            count: formatCount(held.count),
            amountUsd: formatUsdt(held.amountUsd),
          })}
        </>
      )}
      {late !== null && late.count > 0 && (
        <>
          {' '}
          {tNodes('{late} came late, from before this period, and count in it.', {
            late: linked(lateText(late), t('SMS that came late'), { late: 'true', test: 'false' }),
          })}
        </>
      )}
    </>
  )
}

/** All that came in the cycle but tests, with a link to it. */
export function CycleCount({ week }: { week: Week }) {
  const linked = useCycleLinks(week)
  return <>{linked(`${formatCount(week.count)} SMS`, t('SMS of the open cycle'), { test: 'false' })}</>
}

type CycleLink = (text: string, label: string, filters: Readonly<Record<string, string>>) => ReactNode

/** Leads from a figure to its messages: of everybody for staff, otherwise the viewer's own. */
function useCycleLinks({ cycleId }: Week): CycleLink {
  const { may } = useSession()
  const { id: userId } = useUser()
  if (cycleId === null) return (text) => text
  const period = may('paymentManagement') ? String(cycleId) : `${cycleId}-${userId}`
  return (text, label, filters) => (
    <RecordsLink url={recordsPath({ period, ...filters })} label={label}>
      {text}
    </RecordsLink>
  )
}

function lateText({ count, amountUsd }: NonNullable<Week['late']>): string {
  const isWorth = (parseMicro(amountUsd) ?? 0n) > 0n
  return isWorth
    ? t('{count} SMS of {amount}', { count: formatCount(count), amount: formatUsdt(amountUsd) })
    : t('{count} SMS', { count: formatCount(count) })
}
