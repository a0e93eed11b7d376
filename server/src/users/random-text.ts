import { randomInt } from 'node:crypto'

// Without characters that look alike.
const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A random text of 56 different letters and digits: 8 of them carry 46 bits, 20 carry 116. */
export function randomText(length: number): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
}
