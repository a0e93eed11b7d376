// The story of the demo's past weeks: how much traffic each had, and what staff did with its bills afterwards. Each week
// shows other states: paid, paid by a run, paid in part, withheld, credited, held, waiting for a second person.
import type { Amendment } from '@tollgate/contract/amendments/amendments.ts'
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import type { Payout } from '@tollgate/contract/billing/payouts.ts'
import type { Hold } from '@tollgate/contract/integrity/integrity.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { SmsRecord } from '@tollgate/contract/records/records.ts'
import { toAddress } from '../../rates/index.ts'
import { perHourMax } from './messages.ts'
import {
  completeRun,
  decideDifference,
  draftRun,
  payBill,
  payPayout,
  spend,
  type Staff,
} from './past-payments.ts'

/** What a closed cycle brought. */
export interface Closed {
  /** A client's bill, by username. */
  readonly bill: (username: string) => BillingPeriod
  /** Those of clients with an address. */
  readonly payouts: readonly Payout[]
}

interface Act {
  /** Hours after the close. */
  readonly atHour: number
  readonly run: (staff: Staff, closed: Closed) => Promise<void>
}

interface PastWeek {
  /** Messages in its busiest hour. */
  readonly perHourMax: number
  readonly acts: readonly Act[]
}

const share = (amount: string, percent: bigint): string =>
  formatMicro(((parseMicro(amount) ?? 0n) * percent) / 100n)

/** Every bill is paid by a transfer of its own. */
async function payEach(staff: Staff, { bill, payouts }: Closed): Promise<void> {
  for (const username of ['client1', 'client2', 'client3']) await payBill(staff, bill(username))
  for (const payout of payouts) await payPayout(staff, payout)
}

/** A carrier takes messages back; the wallet pays a fee; a run pays everybody. */
async function correct({ admin }: Staff, { bill }: Closed): Promise<void> {
  await admin.call('POST', '/api/billing/adjustments', {
    userId: bill('client2').userId,
    amount: '-12.50',
    reason: 'Chargeback of the carrier for 250 messages of the song contest',
  })
}

async function payByRun(staff: Staff): Promise<void> {
  await completeRun(staff, await draftRun(staff, 'Bills and payouts of the week'))
  await spend(staff, toAddress('e1'.repeat(20)), 25_000_000n, 'Energy for transfers, rented for a month')
}

/** One bill in part, one withheld, one credited and then paid; one payout too much. */
async function payWithAlert(staff: Staff, { bill, payouts }: Closed): Promise<void> {
  const { support } = staff
  const [first, second, third] = [bill('client1'), bill('client2'), bill('client3')]
  const inPart = await payBill(staff, first, share(first.dueAmount, 60n))
  await decideDifference(staff, inPart, 'owe', 'The rest follows with the next run')
  await support.call('PUT', `/api/billing/periods/${second.id}/withhold`, {
    reason: 'The carrier disputes the traffic of Saturday evening',
    clientReason: 'We check some messages of Saturday with the carrier.',
  })
  await credit(staff, third)
  const credited = await support.call<BillingPeriod[]>(
    'GET',
    `/api/billing/all-periods?userId=${third.userId}`,
  )
  await payBill(staff, credited.find(({ id }) => id === third.id) ?? third)
  const [tooMuch, ...others] = payouts
  if (tooMuch !== undefined) {
    const id = await payPayout(
      staff,
      tooMuch,
      formatMicro((parseMicro(tooMuch.dueAmount) ?? 0n) + 4_500_000n),
    )
    await decideDifference(staff, id, 'credit', 'A slip in the wallet; the client keeps it for the next bill')
  }
  for (const payout of others) await payPayout(staff, payout)
}

const creditedMessages = 60

/** Takes messages out of a bill that the carrier does not pay; they are held until it has answered. */
async function credit({ admin }: Staff, { id }: BillingPeriod): Promise<void> {
  const query = `period=${id}&settlement=bill&limit=${creditedMessages}`
  const records = await admin.call<SmsRecord[]>('GET', `/api/records?${query}`)
  await admin.call<Amendment>('POST', `/api/billing/periods/${id}/credit-notes`, {
    messageIds: records.map(({ messageId }) => messageId),
    reason: 'The carrier reports a loop in its network and asks for evidence',
    clientReason: 'These messages are under review with the carrier.',
  })
}

/** The carrier has answered about some. */
async function decideSomeHolds({ support }: Staff): Promise<void> {
  const holds = await support.call<Hold[]>('GET', '/api/holds?status=open&limit=50')
  const decide = (hold: Hold | undefined, verb: 'release' | 'confirm', reason: string) =>
    hold && support.call('PUT', `/api/holds/${hold.id}/${verb}`, { reason })
  await decide(holds[0], 'release', 'The carrier found the messages in its own records')
  await decide(holds[1], 'confirm', 'The carrier shows that its network sent them twice')
}

/** This week's work, as it lies on the table: a run that waits for approval, and a credit note for a second person. */
async function leaveWork(staff: Staff, { bill }: Closed): Promise<void> {
  await draftRun(staff, 'Bills and payouts of the week', ({ userName }) => userName !== 'client2')
  const second = bill('client2')
  await staff.admin.call('POST', `/api/billing/periods/${second.id}/credit-notes`, {
    amount: share(second.dueAmount, 60n),
    reason: 'The carrier pays only a part of the quiz',
    clientReason: 'The carrier has shortened its payment for the quiz of the day.',
  })
}

/** The oldest first; the last one closed at the last border of a cycle. */
export const pastWeeks: readonly PastWeek[] = [
  { perHourMax: 60, acts: [{ atHour: 33, run: payEach }] },
  {
    perHourMax: 80,
    acts: [
      { atHour: 10, run: correct },
      { atHour: 34, run: payByRun },
    ],
  },
  {
    perHourMax: 100,
    acts: [
      { atHour: 32, run: payWithAlert },
      { atHour: 106, run: decideSomeHolds },
    ],
  },
  { perHourMax, acts: [{ atHour: 9, run: leaveWork }] },
]
