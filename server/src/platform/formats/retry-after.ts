/** Reads Retry-After (RFC 9110 §10.2.3): seconds, or a date. Undefined when there is none or it makes no sense. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
