import { vi } from 'vitest'

/** Repeats the check until it passes; rejects with its last error after `timeoutMs`. */
export function eventually(check: () => Promise<unknown>, timeoutMs = 60_000): Promise<unknown> {
  return vi.waitFor(check, { timeout: timeoutMs, interval: 50 })
}
