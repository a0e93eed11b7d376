// The Idempotency-Key of calls that pay or create: a second click, or a retry after a lost answer, has no further
// effect.
import type { Route, RouteCall } from '@tollgate/contract/route.ts'

function newKey(): string {
  // Pages without HTTPS have no crypto.randomUUID.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

/** The keys of one open dialog or screen. */
export class CallKeys {
  readonly #keys = new Map<string, string>()

  /** The same call keeps its key until it has succeeded; undefined for routes that take none. */
  keyFor(route: Route, input: RouteCall<Route>): string | undefined {
    if (route.isIdempotent !== true) return undefined
    // The content of a form cannot be compared, so each sending is a new call.
    if (input.body instanceof FormData) return newKey()
    const name = inputKey(input)
    const key = this.#keys.get(name) ?? newKey()
    this.#keys.set(name, key)
    return key
  }

  /** Called after success: the next call with the same input is a new one. */
  forget(input: RouteCall<Route>): void {
    this.#keys.delete(inputKey(input))
  }
}

/** Equal for calls with the same input. Forms have no readable content, so two of them have the same name. */
export const inputKey = ({ params, query, body }: RouteCall<Route>) => JSON.stringify([params, query, body])
