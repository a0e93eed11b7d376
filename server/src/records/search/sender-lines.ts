// How a segment keeps its senders: one text, a line for each record.
import { foldCase } from '../read/condition.ts'

// A line break within a sender would move all lines after it, so this stands for it.
const breakSign = '\u0001'

export function senderLine(sender: string): string {
  return foldCase(sender).replaceAll('\n', breakSign)
}

/** Whether the lines tell exactly which senders contain `part`. */
export function isToldByLines(part: string): boolean {
  return part !== '' && !part.includes('\n') && !part.includes(breakSign)
}
