// Single-byte strings on the wire (SMPP 3.4 §3.1). Bytes above 0x7F keep their value as Latin-1,
// so nothing that a peer sent is lost, also where the specification says ASCII.

type Read = (b: Uint8Array, s: number) => string

// The readers below stay within the bounds that their caller has checked, so no octet is undefined.
const of = String.fromCharCode as (...codes: (number | undefined)[]) => string

// One call with as many arguments as octets makes a flat string in a quarter of the time of a loop and in less
// than half of Buffer's own conversion. Addresses and times, the strings of the hot path, have up to 16 octets.
// oxfmt-ignore
const readers: readonly Read[] = [
  () => '',
  (b, s) => of(b[s]),
  (b, s) => of(b[s], b[s + 1]),
  (b, s) => of(b[s], b[s + 1], b[s + 2]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3], b[s + 4]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3], b[s + 4], b[s + 5]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3], b[s + 4], b[s + 5], b[s + 6]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3], b[s + 4], b[s + 5], b[s + 6], b[s + 7]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3], b[s + 4], b[s + 5], b[s + 6], b[s + 7], b[s + 8]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3], b[s + 4], b[s + 5], b[s + 6], b[s + 7], b[s + 8], b[s + 9]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3], b[s + 4], b[s + 5], b[s + 6], b[s + 7], b[s + 8], b[s + 9], b[s + 10]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3], b[s + 4], b[s + 5], b[s + 6], b[s + 7], b[s + 8], b[s + 9], b[s + 10], b[s + 11]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3], b[s + 4], b[s + 5], b[s + 6], b[s + 7], b[s + 8], b[s + 9], b[s + 10], b[s + 11], b[s + 12]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3], b[s + 4], b[s + 5], b[s + 6], b[s + 7], b[s + 8], b[s + 9], b[s + 10], b[s + 11], b[s + 12], b[s + 13]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3], b[s + 4], b[s + 5], b[s + 6], b[s + 7], b[s + 8], b[s + 9], b[s + 10], b[s + 11], b[s + 12], b[s + 13], b[s + 14]),
  (b, s) => of(b[s], b[s + 1], b[s + 2], b[s + 3], b[s + 4], b[s + 5], b[s + 6], b[s + 7], b[s + 8], b[s + 9], b[s + 10], b[s + 11], b[s + 12], b[s + 13], b[s + 14], b[s + 15]),
]

/** The string in bytes [start, end), which must lie within `bytes`. */
export function latin1(bytes: Uint8Array, start: number, end: number): string {
  const read = readers[end - start]
  if (read !== undefined) return read(bytes, start)
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
}
