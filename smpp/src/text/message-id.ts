// Brings a centre's message_id to one form, because some answer submit_sm in hexadecimal and name the same
// message in decimal in its receipt (SMPP 3.4 §4.4.2 leaves the form open).

/** A connection's setting, one for submit_sm_resp and one for receipts. */
export type MessageIdForm = 'text' | 'decimal' | 'hex'

/**
 * The key under which a message is filed and found: take it of the answer's id in the answer's form and of the
 * receipt's id in the receipt's form; equal keys are the same message. Numbers become plain decimal without
 * leading zeros; `text`, or what is no number in its form, stays as sent but for spaces at its ends.
 * A receipt that comes before its submit_sm_resp can so be kept under its key until the answer brings the same.
 */
export function messageIdKey(id: string, form: MessageIdForm): string {
  const trimmed = id.trim()
  // §5.2.23 allows 64 characters; a longer one is no number we need to compute with.
  if (form === 'text' || trimmed.length > 66) return trimmed
  if (form === 'decimal') return /^\d+$/.test(trimmed) ? BigInt(trimmed).toString() : trimmed
  const digits = /^(?:0x)?([0-9a-f]+)$/i.exec(trimmed)?.[1]
  return digits === undefined ? trimmed : BigInt(`0x${digits}`).toString()
}
