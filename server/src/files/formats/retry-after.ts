const maxMs = 24 * 3_600_000

/**
 * The pause in ms that a Retry-After asks for (RFC 9110 §10.2.3): seconds, or a date; at most a day. Undefined when there
 * is none or it makes no sense.
 */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Math.min(Number(header) * 1_000, maxMs)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - nowMs), maxMs)
}
