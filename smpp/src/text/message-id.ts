// Normalises an SMSC's message_id. Some SMSCs answer submit_sm with a hexadecimal id and name the same message by a
// decimal id in its receipt (SMPP 3.4 §4.4.2 leaves the form open).

/** A connection's setting, one for submit_sm_resp and one for receipts. */
export type MessageIdForm = 'text' | 'decimal' | 'hex'

/** How an id of a peer is read; `caseless` is text that it writes in capitals here and in small letters there. */
export type ReadIdForm = MessageIdForm | 'caseless'

/**
 * The key of a message: computed from the id in submit_sm_resp with the form of answers, and from the id in the receipt
 * with the form of receipts. Equal keys are the same message. Numbers become decimal without leading zeros;
 * `caseless` becomes lower case; `text`, and an id that is no number in its form, is only trimmed. A receipt that arrives before its submit_sm_resp can be kept
 * under its key.
 */
export function messageIdKey(id: string, form: ReadIdForm): string {
  const trimmed = id.trim()
  if (form === 'caseless') return trimmed.toLowerCase()
  // §5.2.23 allows 64 characters; a longer id is not parsed as a number.
  if (form === 'text' || trimmed.length > 66) return trimmed
  if (form === 'decimal') return /^\d+$/.test(trimmed) ? BigInt(trimmed).toString() : trimmed
  const digits = /^(?:0x)?([0-9a-f]+)$/i.exec(trimmed)?.[1]
  return digits === undefined ? trimmed : BigInt(`0x${digits}`).toString()
}
