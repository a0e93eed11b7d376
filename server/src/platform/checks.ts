/** Readiness checks by name; each is true when all is well. */
export type Checks = Readonly<Record<string, () => Promise<boolean> | boolean>>

/** Calls during a running one share its result, so that checks cannot pile up on a database that hangs. */
export function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => (pending ??= ask().finally(() => (pending = undefined)))
}
