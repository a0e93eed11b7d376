// Text as Windows-1252, which DATEV reads.

// The characters of 0x80 to 0x9F; a space stands for those that are none.
const high = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

/** Characters that it does not have become a question mark. */
export function toWindows1252(text: string): Buffer {
  const bytes = Buffer.alloc(text.length)
  let size = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    const place = character === ' ' ? -1 : high.indexOf(character)
    const isSame = code < 0x80 || (code >= 0xa0 && code <= 0xff)
    bytes[size] = isSame ? code : place >= 0 ? 0x80 + place : 0x3f
    size += 1
  }
  return bytes.subarray(0, size)
}
