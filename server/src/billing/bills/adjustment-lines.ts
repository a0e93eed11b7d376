// The lines of a period that are not messages, one for each reason.
import { sql } from 'kysely'
import type { PeriodLine } from '@tollgate/contract/billing/bills.ts'
import { keptText } from '@tollgate/contract/kept-texts.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { spoken } from '@tollgate/contract/sentences.ts'
import { rows, type Db } from '../../platform/db.ts'
import { correctionUrl, heldUrl } from '../rules.ts'
import {
  firstReviewed,
  namedMax,
  reviewedSums,
  type LinesOf,
  type Reviewed,
  type ReviewedSum,
} from '../../records/index.ts'

interface EntryRow {
  readonly kind: 'adjustment' | 'release' | 'carry' | 'reserve' | 'reserve_release'
  readonly at: Date | null
  readonly reason: string | null
  readonly amount_micro: string
  readonly reference: string | null
  /** Of a reserve: the day on which it is released. */
  readonly release_day: string | null
  /** The adjustment, if it credits messages. */
  readonly correction: string | null
}

const reasonTexts: Record<EntryRow['kind'], (entry: EntryRow, releasedCount: number) => string> = {
  adjustment: ({ reason }) => reason ?? '',
  release: (_, releasedCount) => releasedText(releasedCount),
  carry: ({ reason }) => reason ?? spoken('Carried over from the period before'),
  reserve: ({ release_day: day }) => keptText('Kept as reserve until {day}', { day: day ?? '' }),
  reserve_release: ({ reference }) => keptText('Reserve of bill #{bill} released', { bill: reference ?? '' }),
}

/**
 * Each adjustment as a line; one line for the records of earlier periods that were released from holds, with the
 * first of its messages; one for the amount carried over from the period before, and those of the reserve. Then lines of 0.00: records refused in this period,
 * and records of this period that were held when it closed. `remainder` is the part of a closed bill that is not
 * messages: what the ledger entries do not explain of it becomes a line of its own.
 */
export async function adjustmentLines(
  db: Db,
  period: LinesOf,
  remainder?: { readonly amountMicro: bigint; readonly smsCount: number },
): Promise<PeriodLine[]> {
  const { cycleId, userId } = period
  const found = await rows<EntryRow>(
    db,
    sql`select kind, min(at) as at, min(reason) as reason,
          sum(e.amount_micro)::text as amount_micro, min(b.correction)::text as correction,
          min(e.reference) as reference, min(v.release_at at time zone 'UTC')::date::text as release_day
        from ledger_entries e
        left join (select id as correction from adjustments where number_id is not null) b
          on e.kind = 'adjustment' and b.correction::text = e.reference
        left join reserves v on e.kind = 'reserve' and v.cycle_id = e.cycle_id and v.user_id = e.user_id
        where e.user_id = ${userId} and e.cycle_id = ${cycleId} and account = 'payable'
          and (kind in ('adjustment', 'release', 'reserve', 'reserve_release')
            -- Not what this cycle itself carried into the next one.
            or kind = 'carry' and reference <> ${`${cycleId}-${userId}`})
        group by kind, case kind when 'adjustment' then id else 0 end, case when kind in ('carry', 'reserve_release') then reference end
        -- What was carried and then taken off a payout is nothing.
        having kind <> 'carry' or sum(e.amount_micro) <> 0
        order by kind, min(id)`,
  )
  const sums = await reviewedSums(db, period)
  const [released, refused, held] = [
    await messagesOf(db, period, 'release', sums.release),
    await messagesOf(db, period, 'refusal', sums.refusal),
    await messagesOf(db, period, 'held', sums.held),
  ]
  const isPaid = found.some(({ kind }) => kind === 'release')
  const lines = found.map((entry) => ({
    ...lineOf(
      reasonTexts[entry.kind](entry, released.messageCount),
      BigInt(entry.amount_micro),
      entry.kind === 'adjustment' ? entry.at : null,
    ),
    recordsUrl: entry.correction === null ? '' : correctionUrl(entry.correction),
    ...(entry.kind === 'release' && released),
  }))
  const reviewed = [
    // Released records that are all worth 0 have no ledger entry.
    ...(isPaid ? [] : reviewLine(releasedText(released.messageCount), released)),
    ...reviewLine(
      keptText('Refused after review: {count} SMS, not paid', { count: refused.messageCount }),
      refused,
    ),
    ...reviewLine(
      keptText('Held for review: {count} SMS, in no bill until released', { count: held.messageCount }),
      held,
      heldUrl(cycleId, userId),
    ),
  ]
  if (remainder === undefined) return [...lines, ...reviewed]
  const unexplained = found.reduce((left, entry) => left - BigInt(entry.amount_micro), remainder.amountMicro)
  if (unexplained === 0n && remainder.smsCount === 0) return [...lines, ...reviewed]
  return [...lines, { ...lineOf('Adjustment', unexplained, null), smsCount: remainder.smsCount }, ...reviewed]
}

const releasedText = (count: number) =>
  keptText('Released after review: {count} SMS of earlier periods', { count })

type Messages = Pick<PeriodLine, 'messages' | 'messageCount' | 'messageAmount' | 'messageSums'>

export const noMessages = {
  messages: [],
  messageCount: 0,
  messageAmount: '0.00',
  messageSums: [],
} satisfies Messages

/** The first messages with the sums over all. */
async function messagesOf(
  db: Db,
  period: LinesOf,
  kind: Reviewed,
  sums: readonly ReviewedSum[],
): Promise<Messages> {
  if (sums.length === 0) return noMessages
  return {
    messages: await firstReviewed(db, period, kind),
    messageCount: sums.reduce((total, { count }) => total + count, 0),
    messageAmount: formatMicro(
      sums.reduce((total, { amountMicro }) => total + amountMicro, 0n),
      2,
    ),
    messageSums: sums
      .slice(0, namedMax)
      .map(({ amountMicro, ...sum }) => ({ ...sum, amount: formatMicro(amountMicro, 2) })),
  }
}

/** A line of 0.00 that names records, so that the client finds each message somewhere. */
function reviewLine(reason: string, messages: Messages, url = ''): PeriodLine[] {
  if (messages.messageCount === 0) return []
  return [{ ...lineOf(reason, 0n, null), kind: 'review', recordsUrl: url, ...messages }]
}

function lineOf(reason: string, amountMicro: bigint, at: Date | null): PeriodLine {
  return {
    number: '',
    kind: 'adjustment',
    reason,
    at: at?.toISOString() ?? null,
    rate: '',
    smsCount: 0,
    amount: formatMicro(amountMicro, 2),
    recordsUrl: '',
    ...noMessages,
  }
}
