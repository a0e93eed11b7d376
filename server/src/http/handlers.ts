// The types of a slice's routes.ts: one handler for each route of its contract table.
import type { Readable } from 'node:stream'
import type { CsvForm, Route, RouteInput, RouteReply } from '@tollgate/contract/route.ts'
import type { KeyScope, Restriction, Role } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import { replicaOf, type ReadReplica } from '../platform/failover/read-replica.ts'

/** Who makes a call. The users slice finds it from the cookie or the API key. */
export interface Actor {
  readonly userId: number
  readonly username: string
  readonly role: Role
  /** A program's key scopes; undefined for a person. */
  readonly scopes?: readonly KeyScope[]
  /** When this session last proved its password; undefined for keys. */
  readonly authenticatedAt?: Date
  /** What this person must do before anything else; undefined when nothing. */
  readonly restriction?: Restriction
  /** Names the login session; undefined for keys. */
  readonly sessionId?: string
  /** Names the API key; undefined for persons. */
  readonly keyId?: string
}

/** The context of one call. */
export interface CallContext<A extends Actor | undefined = Actor> {
  readonly actor: A
  readonly ip: string
  readonly userAgent: string
  readonly requestId: string
  /** An id of the browser that the call comes from, whoever is signed in; a new id for a browser without one. */
  readonly device: string
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  /** A request header by its lower-case name. */
  header(name: string): string | undefined
  /** Sets or clears the session cookie. With a session the browser also gets the cookie of {@link device}. */
  setSessionCookie(value: string | undefined): void
  /**
   * Runs `work` in one transaction, once for each Idempotency-Key of the caller; without a key each time. The key, the
   * answer and the work are committed together. What must happen afterwards is an `afterCommit` in it. `first` is done
   * before anything is written, the key included.
   */
  readonly once: <T>(
    db: Db,
    work: (tx: Db) => Promise<T>,
    first?: (tx: Db) => Promise<void>,
  ) => Promise<OnceReply<T>>
  /** Does a costly piece of a route whose `isHeavy` is 'pieces' in its turn. Rejects when the caller goes away. */
  readonly piece: <T>(work: () => Promise<T>) => Promise<T>
  /** The uploaded file of an `upload` route, when the body came as a form. */
  readonly file: { readonly name: string; readonly content: Buffer } | undefined
}

/**
 * The answer of a route that takes an Idempotency-Key. {@link CallContext.once} makes it, so that a handler that forgets the
 * key does not compile; a sign-up makes one itself, since a stranger has nobody to keep a key for.
 */
export class OnceReply<T> {
  readonly answer: T

  constructor(answer: T) {
    this.answer = answer
  }
}

/** Who makes a call, and from which IP address: what services and the audit log need to know of it. */
export type Caller = Pick<CallContext, 'actor' | 'ip'>

/** A list page: the server turns `next` into the Link header. */
export interface PageReply<T> {
  readonly items: T
  readonly next: string | undefined
}

/** A download, in parts that are made as its reader takes them, or an event stream. */
export interface StreamReply {
  readonly contentType: string
  /** Suggested file name; none for event streams. */
  readonly fileName?: string
  readonly stream: Readable | AsyncIterable<string | Buffer>
  /** The same of a CSV in another form; read in place of `stream`. */
  readonly forExcel?: (form: CsvForm) => AsyncIterable<string>
}

type HandlerReply<R extends Route> = R['stream'] extends string
  ? StreamReply
  : R['isPaged'] extends true
    ? PageReply<RouteReply<R>>
    : R['isIdempotent'] extends true
      ? OnceReply<RouteReply<R>>
      : // What answers nothing but a success may return nothing.
        RouteReply<R> extends Record<string, never>
        ? RouteReply<R> | void
        : RouteReply<R>

type ActorOf<R extends Route> = R['access'] extends 'public' ? Actor | undefined : Actor

/** One handler. Input is validated, the permission checked. Throws `Refusal` for an expected failure. */
type Handler<R extends Route> = (
  input: RouteInput<R>,
  context: CallContext<ActorOf<R>>,
) => Promise<HandlerReply<R>>

/** A handler for every route of a table; one missing does not compile. */
export type Handlers<T extends Record<string, Route>> = { readonly [K in keyof T]: Handler<T[K]> }

/** Ties a contract table to its handlers for compose. */
export interface BoundRoutes {
  readonly table: Record<string, Route>
  readonly handlers: Record<string, unknown>
  /** The same handlers on the read replica, where there is one. */
  readonly onReplica?: { readonly replica: ReadReplica; readonly handlers: Record<string, unknown> }
}

/** Binds a table to its handlers; the type says which one is missing. */
export function bindRoutes<T extends Record<string, Route>>(table: T, handlers: Handlers<T>): BoundRoutes {
  return { table, handlers }
}

/** The databases of a slice: `heavyDb`, where there is one, has few connections of its own. */
export interface OnDatabase {
  readonly db: Db
  readonly heavyDb?: Db | undefined
}

/**
 * Binds a table so that its heavy routes read from `heavyDb`: then exports cannot take the connections that pages and
 * messages need. What may read from its replica is bound to that one too. `bind` is called up to three times, so it must
 * use its argument only.
 */
export function bindOn<D extends OnDatabase>(deps: D, bind: (deps: D) => BoundRoutes): BoundRoutes {
  const { heavyDb } = deps
  const { table, handlers } = bind(deps)
  if (heavyDb === undefined) return { table, handlers }
  const heavy = bind({ ...deps, db: heavyDb }).handlers
  const names = Object.keys(table)
  const chosen = names.map((name) => [name, (table[name]?.isHeavy === undefined ? handlers : heavy)[name]])
  const replica = replicaOf(heavyDb)
  return {
    table,
    handlers: Object.fromEntries(chosen) as Record<string, unknown>,
    ...(replica && {
      onReplica: { replica, handlers: bind({ ...deps, db: replica.db, heavyDb: replica.db }).handlers },
    }),
  }
}
