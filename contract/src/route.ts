// The shape of one API route: the single source for the server's binding, the browser's calls and OpenAPI.
import { z } from 'zod'
import './validation-messages.ts'
import type { KeyScope, Permission } from './vocabulary.ts'
import { zoneSchema } from './zones.ts'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Route {
  readonly method: HttpMethod
  /** With `{name}` for path parameters: `/api/users/{id}`. */
  readonly path: `/api/${string}`
  /** One sentence for OpenAPI. */
  readonly summary: string
  /** Who may call it; the server refuses everybody else. 'public' needs no session. */
  readonly access: Permission | 'public'
  /**
   * How lately the caller must have signed in or confirmed who they are; an older session gets 403 `reauthenticate`. `now`
   * is 5 minutes: payments, addresses, wallets, settings, secrets, roles and ways into an account. `hour`: the daily work
   * on terms, numbers and accounts.
   */
  readonly fresh?: 'now' | 'hour'
  /** With `dryRun=true` in its query it changes nothing, and so asks for no fresh sign-in. */
  readonly hasDryRun?: true
  /** Open to a session that must first change its password or set up a second factor; every other route refuses it. */
  readonly isOpenToRestricted?: true
  /** The API key scope that opens this route to programs; without one, keys are refused. */
  readonly scope?: KeyScope
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** The JSON answer. Absent for a `stream`, and when nothing is sent (204). */
  readonly response?: z.ZodType
  /** csv: a file download; events: text/event-stream; file: any other download. */
  readonly stream?: 'csv' | 'events' | 'file'
  /** The largest JSON body in bytes; default 16 KiB. Larger ones get 413 before they are read. */
  readonly bodyLimitBytes?: number
  /**
   * Costly for the database: only a few run at a time, for one person and in all (decision 38). 'pieces': a call that mostly
   * waits, so only its costly pieces take turns.
   */
  readonly isHeavy?: true | 'pieces'
  /**
   * A pure read that the read replica may answer (DATABASE_READ_URL, decision 91). `current`: once it has all that was
   * committed before the call, so that people find what they wrote. `lagging`: also some seconds later, for what
   * messages write.
   */
  readonly onReplica?: 'current' | 'lagging'
  /** Works through up to 100,000 rows, so its answer may take minutes. */
  readonly isLong?: true
  /** multipart: the body may also come as a form with the field `file`. */
  readonly upload?: boolean
  /** The status of a success; default 200 with a response, 204 without. */
  readonly status?: number
  /** Takes an Idempotency-Key header: the same key again gives the same answer and has no further effect. */
  readonly isIdempotent?: boolean
  /** A list page: the server adds `Link: <…>; rel="next"` when the handler returns a next cursor. */
  readonly isPaged?: boolean
}

/** What each CSV takes beside its own query. */
const csvQuery = {
  /** `excel`: for a spreadsheet, in the time zone `zone`. By default for programs: UTF-8, ISO 8601 and decimal points. */
  form: z.literal('excel').optional(),
  /** What stands before the decimals in a form for Excel; with `comma` a semicolon stands between the cells. */
  decimal: z.enum(['point', 'comma']).optional(),
  zone: zoneSchema.optional(),
}
/** How a CSV is written. */
export type CsvForm = z.output<z.ZodObject<typeof csvQuery>>

type Fields<Q> = Q extends z.ZodObject<infer Shape> ? Shape : unknown
type Completed<R extends Route> = R extends { readonly stream: 'csv' }
  ? Omit<R, 'query'> & { readonly query: z.ZodObject<Fields<R['query']> & typeof csvQuery> }
  : R

/** Keeps a table of routes as precise literal types. Each CSV takes the choice of its form too. */
export function routes<const R extends Record<string, Route>>(
  table: R,
): { readonly [K in keyof R]: Completed<R[K]> } {
  const completed = Object.entries<Route>(table).map(([name, route]) => {
    if (route.stream !== 'csv') return [name, route]
    const { query = z.object({}) } = route
    if (!(query instanceof z.ZodObject)) throw new Error(`The query of ${name} is no object`)
    return [name, { ...route, query: query.extend(csvQuery) }]
  })
  return Object.fromEntries(completed) as { [K in keyof R]: Completed<R[K]> }
}

type OutputOf<T> = T extends z.ZodType ? z.output<T> : undefined
type InputOf<T> = T extends z.ZodType ? z.input<T> : undefined

/** What a handler receives after validation. */
export interface RouteInput<R extends Route> {
  readonly params: OutputOf<R['params']>
  readonly query: OutputOf<R['query']>
  readonly body: OutputOf<R['body']>
}

/** What a handler returns, before the response schema removes the fields that it does not name. */
export type RouteReply<R extends Route> = R['response'] extends z.ZodType ? z.input<R['response']> : undefined

/** What a caller passes. */
export interface RouteCall<R extends Route> {
  readonly params?: InputOf<R['params']>
  readonly query?: InputOf<R['query']>
  readonly body?: InputOf<R['body']>
}

/** What a caller gets. */
export type RouteAnswer<R extends Route> = OutputOf<R['response']>

/** Puts path parameters into a route's path, percent-encoded. */
export function fillPath(path: string, params: Readonly<Record<string, unknown>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
}
