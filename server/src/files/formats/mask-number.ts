// A telephone number for roles that may not see all of it: the same form in each list, export, stream and title.

/** How many digits of a masked number stay readable. A search of such a viewer compares only these. */
export const visibleDigits = 4

/** Hides all but the last four digits. Names (alphanumeric senders) and short codes stay as they are. */
export function maskNumber(text: string): string {
  if (!/^\+?\d{5,}$/.test(text)) return text
  return '•'.repeat(text.length - visibleDigits) + text.slice(-visibleDigits)
}
