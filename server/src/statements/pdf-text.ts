// Texts and figures as PDF files show them. Visual language §13.
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { Pdf, PdfText } from '../files/formats/pdf.ts'

/** "24/11/2026" of a time in ISO 8601. */
export const day = (at: string): string => at.slice(0, 10).split('-').toReversed().join('/')

/** "24/11/2026 14:31". */
export const instant = (at: string): string => `${day(at)} ${at.slice(11, 16)}`

/** Digits in groups of three. */
export const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',')

/** An amount with two decimals, or with six when the last four are not 0. */
export function figure(amount: string): string {
  const micro = parseMicro(amount) ?? 0n
  const [whole = '0', fraction = ''] = formatMicro(micro, micro % 10_000n === 0n ? 2 : 6).split('.')
  return `${grouped(whole)}.${fraction.padEnd(micro % 10_000n === 0n ? 2 : 6, '0')}`
}

/** What a person typed. `[…]` stands for characters that the fonts do not have, so that nobody misses them unseen. */
export function readable(pdf: Pdf, typed: string): string {
  const written = Array.from(typed, (character) => (pdf.canWrite(character) ? character : '[…]'))
  return written
    .filter((part, index) => part !== '[…]' || written[index - 1] !== part)
    .join('')
    .trim()
}

/** The text in lines of at most the given width. A word that is wider is broken. */
export function wrapped(
  pdf: Pdf,
  text: string,
  width: number,
  { size, font }: Pick<PdfText, 'size' | 'font'> = {},
): string[] {
  const isTooWide = (words: string) => pdf.widthOf(words, size, font) > width
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    const joined = line === '' ? word : `${line} ${word}`
    if (!isTooWide(joined)) {
      line = joined
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const character of word) {
      if (isTooWide(line + character)) {
        lines.push(line)
        line = ''
      }
      line += character
    }
  }
  return [...lines, line]
}
