// Proves again and again that the ledger balances and says what the records say. Reads each entry once.
import { Gauge } from 'prom-client'
import { sqlState, type Db } from '../platform/db.ts'
import { closeTrafficGate } from '../platform/locks/traffic-gate.ts'
import { registry } from '../platform/metrics.ts'
import { transaction } from '../platform/transaction.ts'
import { earnedByCounters, earnedByLines, lastEntryId, sumOfLines, type EarnedSum } from './views.ts'

const imbalance = new Gauge({
  name: 'tollgate_ledger_imbalance_microusdt',
  help: 'Sum of all differences the last check found in the ledger, in millionths of a USDT; 0 when all is well.',
  registers: [registry],
})
imbalance.set(0)

/** Where ledger and counters differ. */
export interface LedgerBreak {
  readonly cycleId: number
  readonly userId: number
  readonly settlement: number
  readonly ledgerMicro: bigint
  readonly countedMicro: bigint
}

export interface LedgerFindings {
  /** Debits and credits of everything, together; not 0 means a broken transaction. */
  readonly sumMicro: bigint
  readonly breaks: readonly LedgerBreak[]
}

/** Another check under the same snapshot, by a slice above the ledger. Returns the differences that it found. */
export type FurtherCheck = (reader: Db) => Promise<readonly LedgerBreak[]>

// As many ids as PostgreSQL sums in about 100 ms: one id may be that of a batch with a hundred clients.
const idsPerQuery = 10_000
// A check that waits for the gate delays all traffic behind it, so it gives up soon and comes later.
const gateWaitMaxMs = 250

/** One for each process: it remembers the sums up to the id where the last check ended. */
export class LedgerChecker {
  readonly #db: Db
  #checkedTo = 0
  #sumMicro = 0n
  readonly #earned = new Map<string, EarnedSum>()

  constructor(db: Db) {
    this.#db = db
  }

  /**
   * Checks all that is committed and sets `tollgate_ledger_imbalance_microusdt`. Undefined when the traffic gate was
   * busy: the next run sees the same. The first run reads the whole ledger.
   */
  async run(further?: FurtherCheck): Promise<LedgerFindings | undefined> {
    try {
      // Whoever writes lines holds the gate, so a snapshot taken behind it has whole transactions only, and no line
      // with a lower id can come later.
      return await transaction(
        this.#db,
        async (reader) => {
          const upTo = await transaction(this.#db, async (gate) => {
            await closeTrafficGate(gate, { waitMaxMs: gateWaitMaxMs })
            return lastEntryId(reader)
          })
          return this.#compare(reader, upTo, further)
        },
        { isolation: 'repeatable read' },
      )
    } catch (error) {
      // 55P03 lock_not_available
      if (sqlState(error) === '55P03') return undefined
      throw error
    }
  }

  async #compare(reader: Db, upTo: number, further?: FurtherCheck): Promise<LedgerFindings> {
    while (this.#checkedTo < upTo) {
      const to = Math.min(upTo, this.#checkedTo + idsPerQuery)
      const [earned, sumMicro] = [
        await earnedByLines(reader, this.#checkedTo, to),
        await sumOfLines(reader, this.#checkedTo, to),
      ]
      for (const sum of earned) this.#add(sum)
      this.#sumMicro += sumMicro
      this.#checkedTo = to
    }
    const counted = new Map((await earnedByCounters(reader)).map((sum) => [keyOf(sum), sum]))
    const breaks: LedgerBreak[] = [...((await further?.(reader)) ?? [])]
    for (const key of new Set([...this.#earned.keys(), ...counted.keys()])) {
      const [ours, theirs] = [this.#earned.get(key), counted.get(key)]
      const [ledgerMicro, countedMicro] = [ours?.amountMicro ?? 0n, theirs?.amountMicro ?? 0n]
      const which = ours ?? theirs
      if (which === undefined || ledgerMicro === countedMicro) continue
      const { cycleId, userId, settlement } = which
      breaks.push({ cycleId, userId, settlement, ledgerMicro, countedMicro })
    }
    const total = breaks.reduce(
      (sum, { ledgerMicro, countedMicro }) => sum + absolute(ledgerMicro - countedMicro),
      absolute(this.#sumMicro),
    )
    imbalance.set(Number(total))
    return { sumMicro: this.#sumMicro, breaks }
  }

  #add(sum: EarnedSum): void {
    const key = keyOf(sum)
    const before = this.#earned.get(key)?.amountMicro ?? 0n
    this.#earned.set(key, { ...sum, amountMicro: before + sum.amountMicro })
  }
}

const keyOf = ({ cycleId, userId, settlement }: EarnedSum) => `${cycleId} ${userId} ${settlement}`
const absolute = (value: bigint) => (value < 0n ? -value : value)
