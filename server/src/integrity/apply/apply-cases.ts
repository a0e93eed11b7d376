// Holds the messages of cases, in slices: each is one transaction with its ledger lines, so that neither messages nor the
// log wait long, and what a kill interrupts goes on where it was. What a message's hold moves depends on its cycle:
//
//   open, or closed without bills    payable ─► held, in the message's cycle
//   on a bill or payout that is due  billed ─► held, up to what is due, the newest messages first. Not before the next
//                                    morning, because its client sees it at once; nothing is paid to the client meanwhile
//   paid, exported or on its way     nothing: it is too late, and the case says so
import { englishOf } from '@tollgate/contract/sentences.ts'
import type { Ledger, LedgerLine } from '../../ledger/index.ts'
import { findOpenCycle } from '../../ledger/index.ts'
import { changeRecords } from '../../ingest/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { tryLock } from '../../platform/locks/locks.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Modes } from '../modes.ts'
import { sliceRecordsMax } from '../move-decided.ts'
import {
  addToHolds,
  cycleStates,
  neverHeld,
  nextCase,
  setApplied,
  setLate,
  waitForMorning,
  type AppliedCase,
  type CaseMessage,
  type MessageSearch,
} from './apply-store.ts'
import type { BilledDebts, BilledPart } from './billed-debts.ts'

export interface ApplyParts {
  readonly db: Db
  readonly clock: Clock
  readonly ledger: Pick<Ledger, 'holdOpenCycle' | 'post'>
  readonly debts: BilledDebts
  readonly readModes: (db: Db) => Promise<Modes>
}

/** Something that a slice is built on changed while it was made, so what it did is undone and done again. */
class SliceOvertaken extends Error {}

/** What the slices of one run of the job share. */
export interface HoldRun {
  /** The cases that have to wait for somebody. */
  readonly skipped: Set<string>
  readonly search: MessageSearch
}

/** Holds one slice of messages. `done`: there is no case left. */
export async function applySlice(parts: ApplyParts, run: HoldRun): Promise<'done' | 'more'> {
  try {
    return await transaction(parts.db, async (tx) => {
      if (!(await tryLock(tx, 'applyCases'))) return 'done'
      const found = await nextCase(tx, [...run.skipped], parts.clock.now())
      if (found === undefined) return 'done'
      if ((await parts.readModes(tx)).of(found.client_id) === 'enforce') await hold(tx, parts, found, run)
      // What it holds stays held, but nothing is added.
      else await setApplied(tx, found.id, { count: 0, amountMicro: 0n }, undefined)
      return 'more'
    })
  } catch (error) {
    if (error instanceof SliceOvertaken) return 'more'
    throw error
  }
}

async function hold(
  tx: Db,
  parts: ApplyParts,
  found: AppliedCase,
  { skipped, search }: HoldRun,
): Promise<void> {
  const candidates = await search.next(tx, found)
  const open = await findOpenCycle(tx)
  const choice = await choose(tx, parts.debts, found, await neverHeld(tx, candidates))
  if (choice === 'wait' || open === undefined) {
    skipped.add(found.id)
    return
  }
  const now = parts.clock.now()
  const { messages } = choice
  if (messages.length > 0) {
    // This locks them, so that what it is built on stays true.
    await changeRecords(tx, messages, { isHeld: true })
    if ((await neverHeld(tx, messages)).length < messages.length)
      throw new SliceOvertaken('A message was held meanwhile')
    await addToHolds(tx, found, messages, now)
    await post(tx, parts, found, messages)
  }
  const isLast = candidates.length < sliceRecordsMax
  if (isLast) await parts.debts.finish(tx, found.id)
  const isWaiting = found.billed_from !== null || choice.hasBilled
  if (found.billed_from === null && choice.hasBilled) await waitForMorning(tx, found.id, now)
  // Other cycles than the open one can be too late. What is new is in the open one.
  if (isLast && !isWaiting && found.apply_from < open.startsAt) await setLate(tx, found, open.id)
  const amountMicro = sumOf(messages)
  await setApplied(
    tx,
    found.id,
    { count: messages.length, amountMicro },
    isLast ? undefined : candidates.at(-1),
  )
  // Last, because this holds the traffic gate shared: a catalog change would wait for it, and traffic for that change.
  const { id } = await parts.ledger.holdOpenCycle(tx)
  if (id !== open.id) throw new SliceOvertaken('The cycle closed while messages were held')
}

type Chosen = CaseMessage & { readonly isBilled: boolean }

interface Choice {
  readonly messages: Chosen[]
  /** Whether others are on bills or payouts that are due, and the case does not take those yet. */
  readonly hasBilled: boolean
}

/** The messages that can be held. */
async function choose(
  tx: Db,
  debts: BilledDebts,
  { id, client_id: userId, takes_billed: takesBilled }: AppliedCase,
  messages: readonly CaseMessage[],
): Promise<Choice | 'wait'> {
  const states = await cycleStates(tx, [...new Set(messages.map(({ cycleId }) => cycleId))])
  const chosen: Chosen[] = []
  const billed = new Map<string, { readonly part: BilledPart; readonly messages: CaseMessage[] }>()
  for (const message of messages) {
    const state = states.get(message.cycleId)
    // Its payouts are made within seconds.
    if (state === 'unfinished') return 'wait'
    if (state === 'open' || state === 'unbilled') chosen.push({ ...message, isBilled: false })
    if (state !== 'billed') continue
    const part = partOf(message, userId)
    const key = keyOf(part)
    const group = billed.get(key) ?? { part, messages: [] }
    group.messages.push(message)
    billed.set(key, group)
  }
  let hasBilled = false
  for (const [, { part, messages: ofDebt }] of [...billed].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const due = await debts.dueOf(tx, part, id)
    if (!takesBilled) {
      hasBilled ||= due !== 0n
      continue
    }
    if (due === 'wait') return 'wait'
    let left = due
    for (const message of ofDebt) {
      if (left === 0n || message.amountMicro > left) continue
      left -= message.amountMicro
      chosen.push({ ...message, isBilled: true })
    }
  }
  return { messages: chosen, hasBilled }
}

// A bill is one for all numbers, a payout is of one.
const partOf = ({ cycleId, settlement, numberId }: CaseMessage, userId: number): BilledPart => ({
  cycleId,
  userId,
  settlement,
  numberId: settlement === 1 ? 0 : numberId,
})
const keyOf = ({ cycleId, settlement, numberId }: BilledPart) => `${cycleId} ${settlement} ${numberId}`

const sumOf = (messages: readonly CaseMessage[]) =>
  messages.reduce((sum, { amountMicro }) => sum + amountMicro, 0n)

/** Two lines for each cycle and way of settling, whatever the number of messages. */
async function post(
  tx: Db,
  { debts, ledger }: ApplyParts,
  { id, client_id: userId, words }: AppliedCase,
  messages: readonly Chosen[],
): Promise<void> {
  const reason = englishOf([...words])
  const groups = new Map<string, Chosen[]>()
  for (const message of messages) {
    const part = partOf(message, userId)
    const key = message.isBilled ? `billed ${keyOf(part)}` : `${part.cycleId} ${part.settlement}`
    const group = groups.get(key) ?? []
    group.push(message)
    groups.set(key, group)
  }
  const lines: LedgerLine[] = []
  for (const [, group] of [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const [first] = group
    const amountMicro = sumOf(group)
    if (first === undefined || amountMicro === 0n) continue
    if (first.isBilled) await debts.takeOff(tx, partOf(first, userId), { caseId: id, amountMicro, reason })
    else {
      const { cycleId, settlement } = first
      const line = { userId, cycleId, settlement, kind: 'hold', reference: `case-${id}`, reason }
      lines.push(
        { ...line, account: 'payable', amountMicro: -amountMicro },
        { ...line, account: 'held', amountMicro },
      )
    }
  }
  if (lines.length > 0) await ledger.post(tx, lines)
}
