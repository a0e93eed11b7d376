// Every 1.5 seconds: writes the node's heartbeat and the binds' figures, and disconnects binds that may not stay.
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { Recurring } from '../../platform/work/recurring.ts'
import { MinuteRate } from '../minute-rate.ts'
import { isAllowedAddress } from './allowed-address.ts'
import type { Bind } from './bind.ts'
import type { LiveBinds } from './live-binds.ts'
import {
  writeNodeHeartbeat,
  forgetDeadNodes,
  deleteNode,
  deleteOrphanBinds,
  markOthersDead,
  restoreBind,
  bindRowOf,
  writeFigures,
  type BindFigures,
  type NodeIdentity,
} from './store.ts'
import { isSameTreatment, treatmentOf } from '../../users/index.ts'
import { idStyleOf, sessionProfileOf } from './treatment.ts'
import { readAccountStates, type BindAccountState } from './views.ts'

// An account change must take effect on every node within 5 s: at most 1.5 s until the next check, 2 s for the unbind.
const standardPace: BindPace = { checkEveryMs: 1_500, unbindMs: 2_000 }
const checksPerSweep = 20

export interface BindPace {
  /** From one check of all binds to the next. */
  readonly checkEveryMs: number
  /** How long a peer may take to answer its unbind. */
  readonly unbindMs: number
}

interface BindKeeperDeps {
  readonly db: Db
  readonly node: NodeIdentity
  readonly isOnlyNode: boolean
  readonly live: LiveBinds
  readonly log: Logger
  /** Another pace than the standard one, for tests. */
  readonly pace?: BindPace | undefined
}

export class BindKeeper {
  readonly #deps: BindKeeperDeps
  readonly #pace: BindPace
  readonly #counted = new Map<string, { count: number; atMs: number; rate: MinuteRate }>()
  readonly #checking: Recurring
  #checkCount = 0

  constructor(deps: BindKeeperDeps) {
    this.#deps = deps
    const { log, pace = standardPace } = deps
    this.#pace = pace
    this.#checking = new Recurring({
      run: () => this.#check(),
      everyMs: pace.checkEveryMs,
      // Bound peers stay bound: each of their messages is answered with a temporary error meanwhile.
      onFault: (error, isFirst) =>
        isFirst && log.error({ err: error }, 'Binds cannot be checked: the database does not answer'),
      onRecovery: () => log.info('The database answers again; binds are checked'),
    })
  }

  /** Registers the node. Rejects when the database is not available. */
  async start(): Promise<void> {
    const { db, node, isOnlyNode } = this.#deps
    await writeNodeHeartbeat(db, node)
    // A node that was killed a moment ago would otherwise seem alive to the first binds.
    if (isOnlyNode) await markOthersDead(db, node.id)
    this.#checking.start(this.#pace.checkEveryMs)
  }

  /** Checks now instead of at the next turn: an account changed, or a bind was kicked. */
  checkSoon(): void {
    this.#checking.runSoon()
  }

  /** Removes the node. The binds that it still had stop counting at once. */
  async stop(): Promise<void> {
    await this.#checking.stop()
    try {
      await deleteNode(this.#deps.db, this.#deps.node.id)
    } catch (error) {
      this.#deps.log.warn(
        { err: error },
        'The node could not sign off; its binds count until it is considered dead',
      )
    }
  }

  async #check(): Promise<void> {
    const { db, node, live } = this.#deps
    await writeNodeHeartbeat(db, node)
    const liveBefore = new Set(live.bound.keys())
    if (liveBefore.size > 0) await this.#checkBinds(liveBefore)
    if (this.#checkCount++ % checksPerSweep === 0) {
      await deleteOrphanBinds(db, node.id, live.ids)
      await forgetDeadNodes(db)
    }
  }

  async #checkBinds(liveBefore: ReadonlySet<string>): Promise<void> {
    const { db, node, live } = this.#deps
    await writeFigures(db, this.#figures())
    const states = new Map((await readAccountStates(db, node.id)).map((each) => [each.id, each]))
    for (const bind of live.bound.values()) {
      const found = states.get(bind.id)
      if (found !== undefined) this.#apply(bind, found)
      // A bind that is newer than the query may be missing from its result.
      else if (liveBefore.has(bind.id)) await this.#restore(bind)
    }
  }

  #apply(bind: Bind, state: BindAccountState): void {
    const reason = disconnectReason(bind, state)
    if (reason !== undefined) return this.#disconnect(bind, reason)
    const { throughput, window, nodeCount, otherPerSecond } = state
    if (window !== bind.windowMax) {
      bind.windowMax = window
      bind.session.setLimits({ windowMax: window })
    }
    this.#treat(bind, state)
    // The account's rate is shared by all nodes: this one gets what the others do not use, but at least an equal share.
    bind.limit.set(Math.max(throughput / nodeCount, throughput - otherPerSecond), performance.now())
  }

  /** A changed profile is at work in the session at once, and its message ids have the new form from now on. */
  #treat(bind: Bind, state: BindAccountState): void {
    if (isSameTreatment(bind.treatment, state)) return
    bind.treatment = treatmentOf(state)
    bind.idStyle = idStyleOf(state, bind.namedVersion)
    bind.session.setProfile(sessionProfileOf(state, bind.namedVersion))
  }

  async #restore(bind: Bind): Promise<void> {
    const { db, node } = this.#deps
    const isThere = await restoreBind(db, node.id, bindRowOf(bind), new Date(bind.boundAtMs))
    if (!isThere) this.#disconnect(bind, 'the account is gone')
  }

  #disconnect(bind: Bind, reason: string): void {
    const { log } = this.#deps
    if (bind.session.state !== 'bound') return
    log.info({ sessionId: bind.session.id, systemId: bind.systemId, reason }, 'unbinding a peer')
    void bind.session.unbind(this.#pace.unbindMs)
  }

  #figures(): BindFigures[] {
    const nowMs = Date.now()
    const figures: BindFigures[] = []
    const { bound } = this.#deps.live
    for (const bind of bound.values()) {
      const before = this.#counted.get(bind.id) ?? { count: 0, atMs: bind.boundAtMs, rate: new MinuteRate() }
      // An early check would compute the rate over too short a time.
      const passedMs = nowMs - before.atMs
      if (passedMs < 500) continue
      before.rate.add(bind.receivedCount - before.count, nowMs)
      this.#counted.set(bind.id, { count: bind.receivedCount, atMs: nowMs, rate: before.rate })
      figures.push({
        id: bind.id,
        lastActivityAt: new Date(bind.session.lastReceivedAtMs),
        messagesPerSecond: ((bind.receivedCount - before.count) * 1000) / passedMs,
        minuteRate: before.rate.perSecond(nowMs),
        receivedCount: bind.receivedCount,
        windowUsed: bind.session.unansweredCount,
        windowMax: bind.windowMax,
      })
    }
    for (const id of this.#counted.keys()) if (!bound.has(id)) this.#counted.delete(id)
    return figures
  }
}

function disconnectReason(bind: Bind, state: BindAccountState): string | undefined {
  if (state.kickReason !== null) return state.kickReason
  if (state.status !== 'active') return `the account is ${state.status}`
  if (!state.smppAccess) return 'SMPP access was taken away'
  if (state.passwordSetAt?.getTime() !== bind.passwordSetAt.getTime()) return 'the password was changed'
  if (!isAllowedAddress(state.allowedCidrs, bind.remoteAddress)) return 'the address is not allowed any more'
  if (state.tlsOnly && !bind.isTls) return 'the account binds over TLS alone now'
  if (state.rank > state.maxConnections) return 'more binds than the account may have'
  return undefined
}
