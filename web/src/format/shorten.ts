// Shortens long values to the lengths of the specification. Copying always takes the whole value.

/** Keeps `head` and `tail` characters around an ellipsis. A value that would not get shorter is returned unchanged. */
export function shorten(value: string, head: number, tail: number): string {
  return value.length <= head + tail + 1 ? value : `${value.slice(0, head)}…${value.slice(-tail)}`
}

/** Spec §2, user page: a transaction hash as its first 12 and last 8 characters. */
export function shortenHash(hash: string): string {
  return shorten(hash, 12, 8)
}

/** Spec §2, Payment Management: an address or hash as its first 8 and last 6 characters. */
export function shortenForStaff(value: string): string {
  return shorten(value, 8, 6)
}

/** Groups of four characters, which are easy to compare: "TMPy Vucb 61WV …". */
export function groupByFour(value: string): string {
  return value.match(/.{1,4}/g)?.join(' ') ?? ''
}
