// The octets of a receipt that is listed. The message that it may quote is hidden, as texts are everywhere.

// No common receipt is longer.
const octetsMax = 255
const hiddenOctet = '··'
// ASCII or UCS-2.
const receiptField = /i\0?d\0?:|s\0?t\0?a\0?t\0?:/i
const quotation = /t\0?e\0?x\0?t\0?:/i

/**
 * The octets in hexadecimal, at most 255 of them. `··` stands for each that is hidden: those behind `text:`, and all of them
 * when nothing in them reads as a receipt, since then they may be a message.
 */
export function receiptOctets(body: Buffer): string {
  const octets = body.subarray(0, octetsMax)
  const text = octets.toString('latin1')
  const quoted = quotation.exec(text)
  const shown = !receiptField.test(text)
    ? 0
    : quoted === null
      ? octets.length
      : quoted.index + quoted[0].length
  return octets.toString('hex', 0, shown) + hiddenOctet.repeat(octets.length - shown)
}
