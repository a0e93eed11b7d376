// A fair queue. Ranks are served in order; within a rank the networks take turns (round robin), and within a network its
// accounts. A caller with a thousand calls delays itself and nobody else.
import { Refusal } from '@tollgate/contract/errors.ts'

/** In the order of service: known devices and sessions, then sign-ins, then sign-ups. */
const ranks = ['known', 'signIn', 'signUp'] as const

export interface TurnKey {
  readonly rank: (typeof ranks)[number]
  readonly network: string
  readonly account: string
}

export interface FairTurnLimits {
  /** Turns that run at the same time. */
  readonly parallelMax: number
  /** Waiting turns of all networks, and of one network. */
  readonly waitingMax: number
  readonly waitingMaxOfNetwork: number
}

interface WaitingTurn {
  readonly turn: TurnKey
  readonly go: () => void
  readonly refuse: (reason: Refusal) => void
}

type TurnQueues = Map<string, Map<string, WaitingTurn[]>>

export class FairTurns {
  readonly #limits: FairTurnLimits
  readonly #queues: Record<TurnKey['rank'], TurnQueues> = {
    known: new Map(),
    signIn: new Map(),
    signUp: new Map(),
  }
  readonly #waitingOf = new Map<string, number>()
  #waiting = 0
  #running = 0

  constructor(limits: FairTurnLimits) {
    this.#limits = limits
  }

  /** Resolves when the turn begins; {@link end} must follow. Throws Refusal too_many when too many wait. */
  async begin(turn: TurnKey): Promise<void> {
    if (this.#running < this.#limits.parallelMax) {
      this.#running += 1
      return
    }
    if ((this.#waitingOf.get(turn.network) ?? 0) >= this.#limits.waitingMaxOfNetwork) throw full()
    if (this.#waiting >= this.#limits.waitingMax) this.#makeRoomFor(turn)
    await new Promise<void>((go, refuse) => this.#add({ turn, go, refuse }))
  }

  /** Passes the turn directly to the next waiting one, so that no new caller can take it. */
  end(): void {
    for (const rank of ranks) {
      const next = takeNext(this.#queues[rank])
      if (next === undefined) continue
      this.#count(next.turn.network, -1)
      next.go()
      return
    }
    this.#running -= 1
  }

  #add(waiter: WaitingTurn): void {
    const { rank, network, account } = waiter.turn
    const queues = this.#queues[rank]
    const accounts = queues.get(network) ?? new Map<string, WaitingTurn[]>()
    queues.set(network, accounts)
    const queue = accounts.get(account) ?? []
    accounts.set(account, queue)
    queue.push(waiter)
    this.#count(network, 1)
  }

  /** The queue is full: the network with the most waiting turns loses its newest one, unless it is the caller's own. */
  #makeRoomFor({ network }: TurnKey): void {
    const [crowd] = [...this.#waitingOf].toSorted(([, a], [, b]) => b - a)
    if (crowd === undefined || crowd[1] <= (this.#waitingOf.get(network) ?? 0) + 1) throw full()
    for (const rank of ranks.toReversed()) {
      const last = takeLast(this.#queues[rank], crowd[0])
      if (last === undefined) continue
      this.#count(crowd[0], -1)
      last.refuse(full())
      return
    }
  }

  #count(network: string, change: 1 | -1): void {
    this.#waiting += change
    const count = (this.#waitingOf.get(network) ?? 0) + change
    if (count === 0) this.#waitingOf.delete(network)
    else this.#waitingOf.set(network, count)
  }
}

/** Takes the first turn of the first account of the first network, and moves both behind the others. */
function takeNext(queues: TurnQueues): WaitingTurn | undefined {
  const [lane] = queues
  if (lane === undefined) return undefined
  const [network, accounts] = lane
  queues.delete(network)
  const [line] = accounts
  if (line === undefined) return undefined
  const [account, queue] = line
  accounts.delete(account)
  const next = queue.shift()
  if (queue.length > 0) accounts.set(account, queue)
  if (accounts.size > 0) queues.set(network, accounts)
  return next
}

/** Takes the newest turn of the network's longest queue. */
function takeLast(queues: TurnQueues, network: string): WaitingTurn | undefined {
  const accounts = queues.get(network)
  const [longest] = [...(accounts ?? [])].toSorted(([, a], [, b]) => b.length - a.length)
  if (accounts === undefined || longest === undefined) return undefined
  const [account, queue] = longest
  const last = queue.pop()
  if (queue.length === 0) accounts.delete(account)
  if (accounts.size === 0) queues.delete(network)
  return last
}

function full(): Refusal {
  return new Refusal('too_many', 'Too many people are signing in. Try again in a few seconds.', {
    retryAfterSeconds: 2,
  })
}
