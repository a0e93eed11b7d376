/**
 * Wraps a read so that all callers within `forMs` share one result: many screens poll the same figures. A failure is
 * passed to the callers that wait for it, and not kept for later ones.
 */
export function shareFor<T>(forMs: number, read: () => Promise<T>): () => Promise<T> {
  let known: { readonly atMs: number; readonly result: Promise<T> } | undefined
  return () => {
    const nowMs = performance.now()
    if (known !== undefined && nowMs - known.atMs < forMs) return known.result
    const latest = { atMs: nowMs, result: read() }
    known = latest
    latest.result.catch(() => {
      if (known === latest) known = undefined
    })
    return latest.result
  }
}
