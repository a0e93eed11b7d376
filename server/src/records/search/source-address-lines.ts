// The source addresses of a block: one text with a line for each record.
import { foldCase } from '../query/condition.ts'

// Replaces a line break within an address, which would shift all lines after it.
const breakSign = '\u0001'

export function sourceAddressLine(sender: string): string {
  return foldCase(sender).replaceAll('\n', breakSign)
}

/** Whether the lines decide exactly which addresses contain `text`. */
export function isDecidedByLines(text: string): boolean {
  return text !== '' && !text.includes('\n') && !text.includes(breakSign)
}
