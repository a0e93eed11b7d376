import { randomInt } from 'node:crypto'

// Without characters that are taken for one another.
const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A random text of letters and digits; 56 of them, so 8 carry 46 bits and 20 carry 116. */
export function randomText(length: number): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
}
