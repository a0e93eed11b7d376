// How a subscriber's number is written.
import type { WrittenSender } from '../ingest/index.ts'

/** How networks write a number: bare, with a plus, and with the zeros that stand for it. */
export function writtenAs(digits: string): WrittenSender {
  return { digits, forms: [digits, `+${digits}`, `00${digits}`] }
}

/** The digits in a text, not as a part of other digits. */
export function standsIn(digits: string): RegExp {
  return new RegExp(`(?<!\\d)(?:00)?${digits}(?!\\d)`)
}

/** What stands in the place of the number. Source addresses have at most 20 characters, so it is nobody's. */
export function pseudonymOf(erasureId: number): string {
  return `erased-subscriber-${String(erasureId).padStart(6, '0')}`
}
