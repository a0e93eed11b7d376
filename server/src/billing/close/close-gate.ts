// Whether the open cycle may be closed now. A close is final and cannot be taken back: a clock that runs 30 days ahead for
// some seconds would close four weeks, and every client would be billed for weeks that have not been.
import { Gauge } from 'prom-client'
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import type { Cycle } from '../../ledger/index.ts'
import type { Caller } from '../../http/handlers.ts'
import type { Db } from '../../platform/db.ts'
import { registry } from '../../platform/metrics.ts'
import { transaction } from '../../platform/transaction.ts'
import type { BillingDeps } from '../deps.ts'
import { newestBlockAt } from '../../tron/index.ts'
import {
  clearWait,
  findWait,
  insertCloseApproval,
  isAllowed,
  noteWait,
  readClocks,
  type CloseObstacle,
  type CloseWaitRow,
} from './gate-store.ts'

const differenceMaxMs = 60_000
// The node is not asked more often while a close waits.
const chainReadEveryMs = 10_000
// Drills have cycles of minutes, many of which end while the gateway is stopped for a while.
const behindMinMs = 86_400_000

const waiting = new Gauge({
  name: 'tollgate_close_waiting_cycles',
  help: 'Cycles that are due and wait, because clocks differ or too many are due; 0 when none waits.',
  registers: [registry],
})
waiting.set(0)
const difference = new Gauge({
  name: 'tollgate_clock_difference_seconds',
  help: "How far the database's clock is ahead of this node's, and the chain's of the database's, at the last close.",
  labelNames: ['clock'],
  registers: [registry],
})

/** One for each process: it remembers what the chain said last. */
export class CloseGate {
  readonly #deps: BillingDeps
  #chain: { readonly requestedAtMs: number; readonly aheadMs: number | undefined } | undefined

  constructor(deps: BillingDeps) {
    this.#deps = deps
  }

  /** Whether `open`, which has ended at `now`, may be closed; notes for staff why not. */
  async isOpen(open: Cycle, now: Date): Promise<boolean> {
    const { db } = this.#deps
    const obstacle = await this.#findObstacle(open, now)
    if (obstacle === undefined) await clearWait(db)
    else await noteWait(db, obstacle)
    waiting.set(obstacle?.cycleCount ?? 0)
    return obstacle === undefined
  }

  async #findObstacle(open: Cycle, now: Date): Promise<CloseObstacle | undefined> {
    const { db, ledger, settings, readClocks: read = readClocks } = this.#deps
    const cycleCount = ledger.countDue(open, now)
    const { node, database } = await read(db)
    const aheadMs = database.getTime() - node.getTime()
    difference.set({ clock: 'database' }, aheadMs / 1000)
    if (Math.abs(aheadMs) > differenceMaxMs)
      return {
        cause: 'clock',
        cycleCount,
        words: differWords(sentence("The database's clock differs."), aheadMs),
      }
    // The approval is looked up only when it is needed.
    const obstacle =
      (await this.#chainObstacle(now, cycleCount)) ??
      behindObstacle(open, now, {
        cycleCount,
        cyclesMax: await settings.closeBehindMax.get(db),
      })
    return obstacle === undefined || (await isAllowed(db, open.endsAt)) ? undefined : obstacle
  }

  async #chainObstacle(now: Date, cycleCount: number): Promise<CloseObstacle | undefined> {
    const aheadMs = await this.#chainAheadMs(now)
    if (aheadMs === undefined) return undefined
    difference.set({ clock: 'chain' }, aheadMs / 1000)
    if (Math.abs(aheadMs) <= differenceMaxMs) return undefined
    return {
      cause: 'chain',
      cycleCount,
      words: differWords(sentence("The time of the TRON node's newest block differs."), aheadMs),
    }
  }

  /** Undefined when no node is configured, or it gives no clear answer. */
  async #chainAheadMs(now: Date): Promise<number | undefined> {
    const { egress, tron } = this.#deps
    if (tron === undefined) return undefined
    const isFresh =
      this.#chain !== undefined && Math.abs(now.getTime() - this.#chain.requestedAtMs) < chainReadEveryMs
    if (!isFresh) {
      const block = await newestBlockAt(egress, tron)
      this.#chain = {
        requestedAtMs: now.getTime(),
        aheadMs: block === undefined ? undefined : block.getTime() - now.getTime(),
      }
    }
    return this.#chain?.aheadMs
  }
}

function behindObstacle(
  open: Cycle,
  now: Date,
  { cycleCount, cyclesMax }: { cycleCount: number; cyclesMax: number },
): CloseObstacle | undefined {
  const isLong = now.getTime() - open.endsAt.getTime() >= behindMinMs
  if (cycleCount <= cyclesMax || !isLong) return undefined
  return {
    cause: 'behind',
    cycleCount,
    words: [
      sentence('{count} periods are due by the clock, which says {now}.', {
        count: cycleCount,
        now: { at: now.toISOString() },
      }),
      sentence("At most {max} close without a person's word.", { max: cyclesMax }),
    ],
  }
}

function differWords(what: Sentence, aheadMs: number): Sentence[] {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const hours = Math.round(seconds / 3_600)
  const isAhead = aheadMs > 0
  const by =
    seconds < 7_200
      ? isAhead
        ? sentence("It is {seconds} seconds ahead of this gateway's.", { seconds })
        : sentence("It is {seconds} seconds behind this gateway's.", { seconds })
      : isAhead
        ? sentence("It is {hours} hours ahead of this gateway's.", { hours })
        : sentence("It is {hours} hours behind this gateway's.", { hours })
  return [what, by, sentence('Periods close while they agree within 60 seconds.')]
}

/** A close that waits, as staff see it; null when none does. */
export async function readCloseWait(db: Db) {
  const found = await findWait(db)
  return found === undefined
    ? null
    : {
        cause: found.cause,
        explanation: found.explanation,
        words: [...found.words],
        cycleCount: found.cycle_count,
        since: found.since.toISOString(),
        canGoOn: found.cause !== 'clock',
      }
}

/**
 * Notes that a person allows the cycles which are due now to be closed. Throws Refusal wrong_state when nothing waits, when
 * another number of cycles waits than the person saw, or when the clocks of gateway and database differ.
 */
export async function allowClose(
  { db, clock, audit }: BillingDeps,
  { cycleCount, reason }: { readonly cycleCount: number; readonly reason: string },
  by: Caller,
): Promise<void> {
  await transaction(db, async (tx) => {
    const found = await findWait(tx)
    if (found === undefined) throw new Refusal('wrong_state', 'No period waits to be closed.')
    refuseOther(found, cycleCount)
    const at = clock.now()
    await insertCloseApproval(tx, { endsBy: at, reason, approvedBy: by.actor.userId, at })
    await clearWait(tx)
    await audit.record(tx, {
      ...by,
      action: 'cycle.allow_close',
      objectType: 'cycle',
      objectId: '',
      after: { endsBy: at.toISOString(), cycleCount, reason, because: found.explanation },
    })
  })
}

function refuseOther(found: CloseWaitRow, cycleCount: number): void {
  if (found.cause === 'clock')
    throw new Refusal('wrong_state', [...found.words, sentence('Set the clocks right first.')])
  if (found.cycle_count !== cycleCount)
    throw new Refusal(
      'wrong_state',
      found.cycle_count === 1
        ? 'Now 1 period is waiting. Look at it again.'
        : sentence('Now {count} periods are waiting. Look at them again.', { count: found.cycle_count }),
    )
}
