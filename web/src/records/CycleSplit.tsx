// The split of the open cycle, in the same words on the Dashboard and on the Payment page. Each figure leads to its messages.
import type { weekSchema } from '@tollgate/contract/records/records.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { Link } from '@tanstack/react-router'
import { useSession, useUser } from '../api/session.tsx'
import { formatMinute, formatWeekday } from '../format/dates.ts'
import { formatChange, formatCount, formatUsdt } from '../format/money.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { paths, recordsPath } from '../paths.ts'
import { leftToRight, t } from '../language/t.ts'
import { tNodes } from '../language/t-nodes.tsx'

const linkClass = 'text-accent-ink underline underline-offset-2'
const weekByNumber = { tab: 'analytics', period: 'week', by: 'number', sort: 'earned', measure: 'earned' }

type Week = z.infer<typeof weekSchema>

/** Bill and payouts, which are what was earned; then what is held and what came late. */
export function CycleSplit({ week }: { week: Week }) {
  const { bill, payouts, earned, held, late } = week
  const linked = useCycleLinks(week)
  if (earned.count === 0 && held.count === 0) return null
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

/** The open cycle beside the one before, both up to the same hour of the week. */
export function CyclePace({ week: { pace } }: { week: Week }) {
  if (pace === null || pace.before.count === 0) return null
  return tNodes('Up to {hour} it came to {now}, the last cycle to {before} by then: {change}. {link}', {
    hour: `${formatWeekday(pace.until)} ${formatMinute(pace.until)}`,
    now: formatUsdt(pace.now.amountUsd),
    before: formatUsdt(pace.before.amountUsd),
    change: <strong>{formatChange(Number(pace.now.amountUsd), Number(pace.before.amountUsd))}</strong>,
    link: <WeekByNumber>{t('Compare by number')}</WeekByNumber>,
  })
}

/** Leads to what each number earned this week, beside the same days of the last one. */
export function WeekByNumber({ children }: { readonly children: ReactNode }) {
  return (
    <Link to={paths.dashboard as string} search={weekByNumber as never} className={linkClass}>
      {children}
    </Link>
  )
}

/** All that came in the cycle but tests, with a link to it. */
export function CycleCount({ week }: { week: Week }) {
  const linked = useCycleLinks(week)
  return (
    <>
      {linked(leftToRight(`${formatCount(week.count)} SMS`), t('SMS of the open cycle'), { test: 'false' })}
    </>
  )
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
