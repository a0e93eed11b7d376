import type { SeenMessage } from './messages.ts'

/** The id of the message that a receipt calls delivered. */
export function receiptOf({ esmClass, hex }: SeenMessage): string[] {
  if ((esmClass & 0x04) === 0) return []
  const text = Buffer.from(hex, 'hex').toString('latin1')
  const id = /\bid:(\S+)/.exec(text)?.[1]
  return id !== undefined && /\bstat:DELIVRD\b/.test(text) ? [id] : []
}
