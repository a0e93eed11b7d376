// Single-byte strings on the wire (SMPP 3.4 §3.1). Bytes above 0x7F keep their value as Latin-1,
// so nothing a peer sent is lost even where the specification says ASCII.

/** The string in bytes [start, end). A loop beats Buffer's own conversion for the short fields of a PDU. */
export function latin1(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > 48)
    return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
  let text = ''
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] ?? 0)
  return text
}

/** Whether a string fits single bytes without a NUL inside, as C-octet strings must. */
export function isCOctetText(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0 || code > 0xff) return false
  }
  return true
}
