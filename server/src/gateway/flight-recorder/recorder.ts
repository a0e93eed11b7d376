// The flight recorder of this node: taps the sessions of the links that are switched on, and costs the others nothing.
import type { Direction } from '@tollgate/smpp/session/handlers.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { decodeFlight, type Taken } from './decode-captured.ts'
import { addPdus, linksOn, trim } from './store.ts'

/** A session as far as it is recorded. */
export type Tapped = Pick<Session<unknown>, 'id' | 'tap'>

const lookEveryMs = 1_000
// Of a flood the first of each second are kept: the recorder must not become load of its own.
const perLookMax = 200

/** Records what passes on the links that are switched on, up to 200 PDUs a second of each; texts and passwords are masked. */
export class FlightRecorder {
  readonly #db: Db
  readonly #log: Logger
  readonly #node: string
  readonly #sessions = new Map<string, Set<Tapped>>()
  #on: ReadonlySet<string> = new Set()
  #taken: Taken[] = []
  readonly #counts = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isFailing = false

  constructor(db: Db, log: Logger, node: string) {
    this.#db = db
    this.#log = log
    this.#node = node
  }

  start(): void {
    this.#timer = setInterval(() => this.lookSoon(), lookEveryMs)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  /** Looks now: a link was switched on or off. */
  lookSoon(): void {
    this.#running ??= this.#look().finally(() => (this.#running = undefined))
  }

  /** A session of a link began. */
  watch(link: string, session: Tapped): void {
    const own = this.#sessions.get(link) ?? new Set()
    this.#sessions.set(link, own.add(session))
    this.#tap(link, session)
  }

  unwatch(link: string, session: Tapped): void {
    session.tap = undefined
    const own = this.#sessions.get(link)
    own?.delete(session)
    if (own?.size === 0) this.#sessions.delete(link)
  }

  #tap(link: string, session: Tapped): void {
    if (!this.#on.has(link)) {
      session.tap = undefined
      return
    }
    const name = `${this.#node} ${session.id}`
    session.tap ??= (direction: Direction, _header, raw) => this.#take(link, name, direction, raw)
  }

  #take(link: string, session: string, direction: Direction, raw: Buffer): void {
    const count = (this.#counts.get(link) ?? 0) + 1
    this.#counts.set(link, count)
    if (count <= perLookMax) this.#taken.push({ link, session, atMs: Date.now(), direction, raw })
  }

  async #look(): Promise<void> {
    try {
      const taken = this.#taken
      this.#taken = []
      this.#counts.clear()
      if (this.#sessions.size > 0 || this.#on.size > 0) this.#on = new Set(await linksOn(this.#db))
      for (const [link, sessions] of this.#sessions) for (const session of sessions) this.#tap(link, session)
      if (taken.length > 0) await this.#save(taken)
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#log.warn({ err: error }, 'The flight recorder could not write')
      this.#isFailing = true
    }
  }

  async #save(taken: readonly Taken[]): Promise<void> {
    await addPdus(
      this.#db,
      taken.map((each) => ({
        ...decodeFlight(each),
        link: each.link,
        session: each.session,
        at: new Date(each.atMs),
        direction: each.direction,
        octets: each.raw.length,
      })),
    )
    await trim(this.#db, [...new Set(taken.map(({ link }) => link))])
  }
}
