// The flight recorder of this node. It taps the sessions of links that are switched on; other sessions pay nothing.
import type { Direction } from '@tollgate/smpp/session/session-types.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { Recurring } from '../../platform/work/recurring.ts'
import { printableAddress } from '../message/address.ts'
import { decodeCaptured, type CapturedPdu } from './decode-captured.ts'
import { addPdus, switchedOnLinks, deleteOld } from './store.ts'

/** A session as far as the recorder needs it. */
type TappedSession = Pick<Session<unknown>, 'id' | 'tap'>
type BindingSession = Pick<Session<unknown>, 'id' | 'tap' | 'systemId' | 'remoteAddress'>

const flushEveryMs = 1_000
// The request of a bind and its answer; a peer that sends more before the answer is no longer watched.
const undecidedMax = 8
// Under high traffic only the first PDUs of each second are captured, so that the recorder itself causes little load.
const perFlushMax = 200
// Of refused binds fewer: a peer that guesses must not fill the table.
const refusedPerFlushMax = 20

/**
 * Captures up to 200 PDUs a second of each link that is switched on, and the PDUs of refused binds in any case. Texts and
 * passwords are masked.
 */
export class FlightRecorder {
  readonly #db: Db
  readonly #node: string
  readonly #everyMs: number
  readonly #sessions = new Map<string, Set<TappedSession>>()
  #on: ReadonlySet<string> = new Set()
  #captured: CapturedPdu[] = []
  readonly #counts = new Map<string, number>()
  // The PDUs of a bind that is not decided yet.
  readonly #binding = new WeakMap<TappedSession, CapturedPdu[]>()
  #refusedCount = 0
  readonly #flushing: Recurring

  constructor(db: Db, log: Logger, node: string, everyMs = flushEveryMs) {
    this.#db = db
    this.#node = node
    this.#everyMs = everyMs
    this.#flushing = new Recurring({
      run: () => this.#flush(),
      everyMs,
      onFault: (error, isFirst) => isFirst && log.warn({ err: error }, 'The flight recorder could not write'),
    })
  }

  start(): void {
    this.#flushing.start(this.#everyMs)
  }

  stop(): Promise<void> {
    return this.#flushing.stop()
  }

  /** Reads the switches and writes the captured PDUs now instead of at the next second. */
  flushSoon(): void {
    this.#flushing.runSoon()
  }

  /** A session of a link began. */
  watch(link: string, session: TappedSession): void {
    const own = this.#sessions.get(link) ?? new Set()
    this.#sessions.set(link, own.add(session))
    // What was captured of its bind shows too, if somebody looks at this link.
    const bind = this.#binding.get(session) ?? []
    this.#binding.delete(session)
    session.tap = undefined
    if (this.#on.has(link)) this.#captured.push(...bind.map((each) => ({ ...each, link })))
    this.#tap(link, session)
  }

  /** A peer has asked to bind: its PDUs are kept until it is bound or refused. */
  watchBind(session: BindingSession): void {
    this.#watchBind(session, 'out', () => ({
      link: `refused-${printableAddress(session.systemId)}`,
      address: session.remoteAddress,
    }))
  }

  /** We ask to bind over a link of ours: when that is refused, its PDUs show under the link. */
  watchOwnBind(link: string, session: BindingSession): void {
    this.#watchBind(session, 'in', () => ({ link }))
  }

  /** `answered` is the direction of the answer. */
  #watchBind(
    session: BindingSession,
    answered: Direction,
    shownAs: () => Pick<CapturedPdu, 'link' | 'address'>,
  ): void {
    if (session.tap !== undefined || this.#binding.has(session)) return
    const captured: CapturedPdu[] = []
    this.#binding.set(session, captured)
    session.tap = (direction, { status }, raw) => {
      captured.push({ link: '', session: this.#nameOf(session), atMs: Date.now(), direction, raw })
      if (direction !== answered && captured.length < undecidedMax) return
      session.tap = undefined
      if (direction === answered && status === 0) return
      this.#binding.delete(session)
      this.#keepRefused(captured, shownAs())
    }
  }

  #keepRefused(captured: readonly CapturedPdu[], shownAs: Pick<CapturedPdu, 'link' | 'address'>): void {
    this.#refusedCount += 1
    if (this.#refusedCount > refusedPerFlushMax) return
    this.#captured.push(...captured.map((each) => ({ ...each, ...shownAs })))
  }

  #nameOf(session: TappedSession): string {
    return `${this.#node} ${session.id}`
  }

  /** A session of a link ended; a bind of ours that nobody answered shows under the link. */
  unwatch(link: string, session: TappedSession): void {
    session.tap = undefined
    const unanswered = this.#binding.get(session)
    this.#binding.delete(session)
    if (unanswered !== undefined) this.#keepRefused(unanswered, { link })
    const own = this.#sessions.get(link)
    own?.delete(session)
    if (own?.size === 0) this.#sessions.delete(link)
  }

  #tap(link: string, session: TappedSession): void {
    if (!this.#on.has(link)) {
      session.tap = undefined
      return
    }
    const name = this.#nameOf(session)
    session.tap ??= (direction: Direction, _header, raw) => this.#capture(link, name, direction, raw)
  }

  #capture(link: string, session: string, direction: Direction, raw: Buffer): void {
    const count = (this.#counts.get(link) ?? 0) + 1
    this.#counts.set(link, count)
    if (count <= perFlushMax) this.#captured.push({ link, session, atMs: Date.now(), direction, raw })
  }

  async #flush(): Promise<void> {
    const captured = this.#captured
    this.#captured = []
    this.#counts.clear()
    this.#refusedCount = 0
    if (this.#sessions.size > 0 || this.#on.size > 0) this.#on = new Set(await switchedOnLinks(this.#db))
    for (const [link, sessions] of this.#sessions) for (const session of sessions) this.#tap(link, session)
    if (captured.length > 0) await this.#save(captured)
  }

  async #save(captured: readonly CapturedPdu[]): Promise<void> {
    await addPdus(
      this.#db,
      captured.map((each) => ({
        ...decodeCaptured(each),
        link: each.link,
        session: each.session,
        at: new Date(each.atMs),
        direction: each.direction,
        octets: each.raw.length,
        address: each.address ?? '',
      })),
    )
    await deleteOld(this.#db, [...new Set(captured.map(({ link }) => link))])
  }
}
