// The Idempotency-Key of calls that pay or create: a click too many, or a try again after a lost answer, has no further
// effect (operations.md, Ingest 5).
import type { Route, RouteCall } from '@tollgate/contract/route.ts'

function newKey(): string {
  // Not randomUUID, which pages without HTTPS do not have.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

/** The keys of one opened dialog or screen. */
export class CallKeys {
  readonly #keys = new Map<string, string>()

  /** The same call has the same key until it succeeded; undefined for routes that take none. */
  keyFor(route: Route, input: RouteCall<Route>): string | undefined {
    if (route.isIdempotent !== true) return undefined
    // A form's content has no text to compare, so each sending is a call of its own.
    if (input.body instanceof FormData) return newKey()
    const name = nameOf(input)
    const key = this.#keys.get(name) ?? newKey()
    this.#keys.set(name, key)
    return key
  }

  /** It is done: the same asked again is meant as another one. */
  forget(input: RouteCall<Route>): void {
    this.#keys.delete(nameOf(input))
  }
}

const nameOf = ({ params, query, body }: RouteCall<Route>) => JSON.stringify([params, query, body])
