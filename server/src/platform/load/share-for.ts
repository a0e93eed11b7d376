/**
 * Wraps a read so that all who ask within `forMs` share one answer: many screens poll the same figures. A failure is
 * told to those who share it, and to nobody after them.
 */
export function shareFor<T>(forMs: number, read: () => Promise<T>): () => Promise<T> {
  let known: { readonly atMs: number; readonly answer: Promise<T> } | undefined
  return () => {
    const nowMs = performance.now()
    if (known !== undefined && nowMs - known.atMs < forMs) return known.answer
    const asked = { atMs: nowMs, answer: read() }
    known = asked
    asked.answer.catch(() => {
      if (known === asked) known = undefined
    })
    return asked.answer
  }
}
