// Writes the rows of binds that are being made. Those of one account that come while another is written go together: a
// carrier that binds a hundred sessions at once waits for a few commits, not for a hundred.
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Deliveries } from '../deliver/create-deliveries.ts'
import type { LostAnswers } from '../lost-answers/lost-answers.ts'
import type { Bind } from './bind.ts'
import { inTime } from './in-time.ts'
import { insertWithin, remove, rowOf } from './store.ts'

export interface ClaimParts {
  readonly db: Db
  readonly nodeId: string
  readonly deliveries: Pick<Deliveries, 'admit'>
  readonly lost: Pick<LostAnswers, 'load'>
  readonly log: Logger
}

interface Claim {
  readonly bind: Bind
  readonly maxConnections: number
  readonly grant: (isGranted: boolean) => void
  readonly fail: (error: unknown) => void
}

export class BindClaims {
  readonly #parts: ClaimParts
  /** By account, those that wait for the transaction under way. */
  readonly #waiting = new Map<number, Claim[]>()

  constructor(parts: ClaimParts) {
    this.#parts = parts
  }

  /** Whether the account has room for this bind over all nodes; its row is committed then. Rejects without database. */
  claim(bind: Bind, maxConnections: number): Promise<boolean> {
    return new Promise((grant, fail) => {
      const claim = { bind, maxConnections, grant, fail }
      const waiting = this.#waiting.get(bind.userId)
      if (waiting !== undefined) return void waiting.push(claim)
      this.#waiting.set(bind.userId, [])
      void this.#settle(bind.userId, [claim])
    })
  }

  async #settle(userId: number, first: Claim[]): Promise<void> {
    for (let claims = first; claims.length > 0; claims = this.#waiting.get(userId)?.splice(0) ?? []) {
      // A peer that has gone meanwhile needs no row.
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

  /** Rows that are committed after we gave up waiting are taken back. */
  async #insert(claims: readonly Claim[]): Promise<ReadonlySet<string>> {
    const [first] = claims
    if (first === undefined) return new Set()
    const { db, nodeId, deliveries, lost, log } = this.#parts
    const { userId, sender } = first.bind
    const maxConnections = Math.min(...claims.map((claim) => claim.maxConnections))
    const inserted = transaction(db, async (tx) => {
      const ids = await insertWithin(
        tx,
        nodeId,
        claims.map(({ bind }) => rowOf(bind)),
        maxConnections,
      )
      const modes = new Set(claims.filter(({ bind }) => ids.has(bind.id)).map(({ bind }) => bind.mode))
      if (modes.has('receiver') || modes.has('transceiver')) await deliveries.admit(tx, userId)
      if (modes.has('transmitter') || modes.has('transceiver')) await lost.load(tx, sender)
      return ids
    })
    return inTime(inserted, () => {
      remove(
        db,
        claims.map(({ bind }) => bind.id),
      ).catch((error: unknown) => log.warn({ err: error }, 'Late bind rows are removed with the next look'))
    })
  }
}
