// What people mean by the characters that they enter or paste, whatever keyboard, script or program these come from.

// Marks of direction, soft hyphens, zero widths and variants of characters: they are copied along and nobody sees them.
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const foreignDigit = /[^\P{Nd}0-9]/gu
const isAscii = /^[\u0020-\u007e]*$/

/** The text without the characters that nobody sees. Zero width joiners are a part of some scripts and emoji: not for texts. */
export function withoutInvisible(text: string): string {
  return isAscii.test(text) ? text : text.replace(invisible, '')
}

// Joiners are a part of Persian and Indic names.
const marks = /(?![\u200c\u200d])\p{Cf}/gu

/** A name without marks that change the order of letters or show nothing; empty when it has no letter and no digit. */
export function visibleName(text: string): string {
  const visible = text.replace(marks, '').trim()
  return /[\p{L}\p{N}]/u.test(visible) ? visible : ''
}

/**
 * For numbers, codes and amounts: no characters that nobody sees, all digits as 0 to 9, wide forms as usual ones. A raised
 * or circled digit stays what it is: it is more often a footnote than a digit.
 */
export function plainFigures(text: string): string {
  if (isAscii.test(text)) return text
  return withoutInvisible(text)
    .replace(/\P{No}+/gu, (part) => part.normalize('NFKC'))
    .replace(foreignDigit, digitOf)
}

/** The digits of a script stand in a row from 0 to 9; behind it, those of another script may follow. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let before = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1
  return String(before % 10)
}
