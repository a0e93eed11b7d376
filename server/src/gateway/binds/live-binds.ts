// The binds of this node in memory.
import { AccountLimit, type Bind } from './bind.ts'

export class LiveBinds {
  readonly #bound = new Map<string, Bind>()
  /** Being made: the row may exist, but the session is not bound yet. */
  readonly #reserved = new Map<string, Bind>()
  readonly #limits = new Map<number, AccountLimit>()

  get bound(): ReadonlyMap<string, Bind> {
    return this.#bound
  }

  /** Ids of bound and reserved binds: their rows must stay. */
  get ids(): string[] {
    return [...this.#bound.keys(), ...this.#reserved.keys()]
  }

  /** The account's shared limits at this node, made on first use. */
  limitOf(userId: number, perSecond: number): AccountLimit {
    let limit = this.#limits.get(userId)
    if (limit === undefined)
      this.#limits.set(userId, (limit = new AccountLimit(perSecond, performance.now())))
    return limit
  }

  reserve(bind: Bind): void {
    bind.limit.bindCount += 1
    this.#reserved.set(bind.id, bind)
  }

  markBound(bind: Bind): void {
    if (this.#reserved.delete(bind.id)) this.#bound.set(bind.id, bind)
  }

  /** False when it was already released. */
  release(bind: Bind): boolean {
    const wasHere = this.#reserved.delete(bind.id) || this.#bound.delete(bind.id)
    if (!wasHere) return false
    bind.limit.bindCount -= 1
    if (bind.limit.bindCount === 0) this.#limits.delete(bind.userId)
    return true
  }
}
