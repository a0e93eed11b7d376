/** What {@link within} gives when the limit has passed. */
export const timedOut = Symbol('timed out')

/** The result of `work`, or {@link timedOut} after `limitMs`; the work then goes on, and its outcome is dropped. */
export async function within<T>(work: Promise<T>, limitMs: number): Promise<T | typeof timedOut> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<typeof timedOut>((resolve) => {
    timer = setTimeout(() => resolve(timedOut), Math.max(0, limitMs))
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
