// Every second and a half: says that this node lives, writes the binds' figures, and puts out who may not stay.
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { isAllowedAddress } from './allowed-address.ts'
import type { Bind } from './bind.ts'
import type { LiveBinds } from './live-binds.ts'
import {
  beat,
  forgetDeadNodes,
  leave,
  removeOthers,
  restore,
  rowOf,
  writeFigures,
  type BindFigures,
  type NodeIdentity,
} from './store.ts'
import { standings, type Standing } from './views.ts'

// A change must reach every node and be carried out within 5 s: at most 1.5 s until it is seen, 2 s for the unbind.
const lookEveryMs = 1_500
const unbindMs = 2_000
const looksPerSweep = 20

export interface KeeperParts {
  readonly db: Db
  readonly node: NodeIdentity
  readonly live: LiveBinds
  readonly log: Logger
}

export class BindKeeper {
  readonly #parts: KeeperParts
  readonly #counted = new Map<string, { count: number; atMs: number }>()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isWanted = false
  #isStopped = false
  #isFailing = false
  #lookCount = 0

  constructor(parts: KeeperParts) {
    this.#parts = parts
  }

  /** Enters the node. Rejects when the database cannot take it. */
  async start(): Promise<void> {
    await beat(this.#parts.db, this.#parts.node)
    this.#schedule()
  }

  /** Looks now instead of at the next turn: an account changed, or somebody was put out. */
  lookSoon(): void {
    if (this.#isStopped) return
    if (this.#running !== undefined) {
      this.#isWanted = true
      return
    }
    clearTimeout(this.#timer)
    this.#running = this.#look().finally(() => {
      this.#running = undefined
      if (this.#isWanted) {
        this.#isWanted = false
        this.lookSoon()
      } else this.#schedule()
    })
  }

  /** Takes the node out; binds it still had are free at once. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
    try {
      await leave(this.#parts.db, this.#parts.node.id)
    } catch (error) {
      this.#parts.log.warn(
        { err: error },
        'The node could not sign off; its binds are free when it counts as dead',
      )
    }
  }

  #schedule(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => this.lookSoon(), lookEveryMs)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    const { db, node, live, log } = this.#parts
    try {
      await beat(db, node)
      const liveBefore = new Set(live.bound.keys())
      if (liveBefore.size > 0) await this.#lookAfter(liveBefore)
      if (this.#lookCount++ % looksPerSweep === 0) {
        await removeOthers(db, node.id, live.ids)
        await forgetDeadNodes(db)
      }
      if (this.#isFailing) log.info('The database answers again; binds are looked after')
      this.#isFailing = false
    } catch (error) {
      // Bound peers stay bound: they are told with each message that it cannot be taken now.
      if (!this.#isFailing)
        log.error({ err: error }, 'Binds cannot be looked after: the database does not answer')
      this.#isFailing = true
    }
  }

  async #lookAfter(liveBefore: ReadonlySet<string>): Promise<void> {
    const { db, node, live } = this.#parts
    await writeFigures(db, this.#figures())
    const standing = new Map((await standings(db, node.id)).map((each) => [each.id, each]))
    for (const bind of live.bound.values()) {
      const found = standing.get(bind.id)
      if (found !== undefined) this.#judge(bind, found)
      // One that bound meanwhile may have missed the query.
      else if (liveBefore.has(bind.id)) await this.#restore(bind)
    }
  }

  #judge(bind: Bind, standing: Standing): void {
    const reason = reasonToGo(bind, standing)
    if (reason !== undefined) return this.#putOut(bind, reason)
    const { throughput, window, nodeCount, otherPerSecond } = standing
    if (window !== bind.windowMax) {
      bind.windowMax = window
      bind.session.setLimits({ windowMax: window })
    }
    // The account's budget over all nodes: what the others leave, and never less than an equal share.
    bind.limit.set(Math.max(throughput / nodeCount, throughput - otherPerSecond), Date.now())
  }

  async #restore(bind: Bind): Promise<void> {
    const { db, node } = this.#parts
    const isThere = await restore(db, node.id, rowOf(bind), new Date(bind.boundAtMs))
    if (!isThere) this.#putOut(bind, 'the account is gone')
  }

  #putOut(bind: Bind, reason: string): void {
    const { log } = this.#parts
    if (bind.session.state !== 'bound') return
    log.info({ sessionId: bind.session.id, systemId: bind.systemId, reason }, 'unbinding a peer')
    void bind.session.unbind(unbindMs)
  }

  #figures(): BindFigures[] {
    const nowMs = Date.now()
    const figures: BindFigures[] = []
    const { bound } = this.#parts.live
    for (const bind of bound.values()) {
      const before = this.#counted.get(bind.id) ?? { count: 0, atMs: bind.boundAtMs }
      // A look that was asked for comes early; a rate over a moment would jump.
      const passedMs = nowMs - before.atMs
      if (passedMs < 500) continue
      this.#counted.set(bind.id, { count: bind.receivedCount, atMs: nowMs })
      figures.push({
        id: bind.id,
        lastActivityAt: new Date(bind.session.lastReceivedAtMs),
        messagesPerSecond: ((bind.receivedCount - before.count) * 1000) / passedMs,
        receivedCount: bind.receivedCount,
        windowUsed: bind.session.unansweredCount,
        windowMax: bind.windowMax,
      })
    }
    for (const id of this.#counted.keys()) if (!bound.has(id)) this.#counted.delete(id)
    return figures
  }
}

function reasonToGo(bind: Bind, standing: Standing): string | undefined {
  if (standing.kickReason !== null) return standing.kickReason
  if (standing.status !== 'active') return `the account is ${standing.status}`
  if (!standing.smppAccess) return 'SMPP access was taken away'
  if (standing.passwordSetAt?.getTime() !== bind.passwordSetAt.getTime()) return 'the password was changed'
  if (!isAllowedAddress(standing.allowedCidrs, bind.remoteAddress))
    return 'the address is not allowed any more'
  if (standing.tlsOnly && !bind.isTls) return 'the account binds over TLS alone now'
  if (standing.place > standing.maxConnections) return 'more binds than the account may have'
  return undefined
}
