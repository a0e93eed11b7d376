// Writes the rows of binds that are being made. Claims of one account that arrive during a write share the next
// transaction: a carrier that binds a hundred sessions at once waits for a few commits, not for a hundred.
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { transaction } from '../../platform/transaction.ts'
import type { LostAnswers } from '../lost-answers/lost-answers.ts'
import type { Bind } from './bind.ts'
import { inTime } from './in-time.ts'
import { insertWithinLimit, deleteBinds, bindRowOf } from './store.ts'

export interface BindClaimDeps {
  readonly db: Db
  readonly nodeId: string
  readonly deliveries: {
    /** Marks the client as a receiver of deliveries, in the transaction of its bind. */
    admit(tx: Db, userId: number): Promise<void>
  }
  readonly lost: Pick<LostAnswers, 'load'>
  readonly log: Logger
}

interface BindClaim {
  readonly bind: Bind
  readonly maxConnections: number
  readonly grant: (isGranted: boolean) => void
  readonly fail: (error: unknown) => void
}

export class BindClaims {
  readonly #deps: BindClaimDeps
  /** By account: claims that wait for the running transaction. */
  readonly #waiting = new Map<number, BindClaim[]>()

  constructor(deps: BindClaimDeps) {
    this.#deps = deps
  }

  /** True when the account has room for this bind over all nodes; its row is then committed. Rejects without a database. */
  claim(bind: Bind, maxConnections: number): Promise<boolean> {
    return new Promise((grant, fail) => {
      const claim = { bind, maxConnections, grant, fail }
      const waiting = this.#waiting.get(bind.userId)
      if (waiting !== undefined) return void waiting.push(claim)
      this.#waiting.set(bind.userId, [])
      void this.#writeClaims(bind.userId, [claim])
    })
  }

  async #writeClaims(userId: number, first: BindClaim[]): Promise<void> {
    for (let claims = first; claims.length > 0; claims = this.#waiting.get(userId)?.splice(0) ?? []) {
      // A peer that has disconnected meanwhile needs no row.
      const present = claims.filter(({ bind }) => bind.session.state === 'binding')
      try {
        const granted = await this.#insert(present)
        for (const { bind, grant } of claims) grant(granted.has(bind.id))
      } catch (error) {
        for (const { fail } of claims) fail(error)
      }
    }
    this.#waiting.delete(userId)
  }

  /** Deletes rows again that are committed after the time-out. */
  async #insert(claims: readonly BindClaim[]): Promise<ReadonlySet<string>> {
    const [first] = claims
    if (first === undefined) return new Set()
    const { db, nodeId, deliveries, lost, log } = this.#deps
    const { userId, peer } = first.bind
    const maxConnections = Math.min(...claims.map((claim) => claim.maxConnections))
    const inserted = transaction(db, async (tx) => {
      const ids = await insertWithinLimit(
        tx,
        nodeId,
        claims.map(({ bind }) => bindRowOf(bind)),
        maxConnections,
      )
      const modes = new Set(claims.filter(({ bind }) => ids.has(bind.id)).map(({ bind }) => bind.mode))
      if (modes.has('receiver') || modes.has('transceiver')) await deliveries.admit(tx, userId)
      if (modes.has('transmitter') || modes.has('transceiver')) await lost.load(tx, peer)
      return ids
    })
    return inTime(inserted, () => {
      deleteBinds(
        db,
        claims.map(({ bind }) => bind.id),
      ).catch((error: unknown) => log.warn({ err: error }, 'Late bind rows are removed with the next check'))
    })
  }
}
