// Telephone numbers in readable groups: "+44 909 879 0142". Only the server knows real numbering plans.
import { leftToRight } from '../language/t.ts'

// ITU-T E.164: all country codes of two digits. 1 and 7 are codes of one digit; all others have three.
const twoDigitCodes = new Set(
  (
    '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 ' +
    '81 82 84 86 90 91 92 93 94 95 98'
  ).split(' '),
)

/** How many leading digits are the country code. */
function countryCodeLength(digits: string): number {
  if (digits.startsWith('1') || digits.startsWith('7')) return 1
  return twoDigitCodes.has(digits.slice(0, 2)) ? 2 : 3
}

/** Groups of three from the left. The last group has two to four digits. */
function groups(national: string): string[] {
  const parts: string[] = []
  let rest = national
  while (rest.length > 4) {
    const size = rest.length === 5 ? 2 : 3
    parts.push(rest.slice(0, size))
    rest = rest.slice(size)
  }
  return rest === '' ? parts : [...parts, rest]
}

/** The same as {@link groupPhone}; between words from right to left its groups keep their order. */
export function formatPhone(value: string): string {
  const grouped = groupPhone(value)
  return grouped === value ? value : leftToRight(grouped)
}

/**
 * E.164 digits, with or without the plus, in groups. Masked digits (`•`, `*`, `x`) count as digits. Other texts
 * (names, short codes of up to 6 digits) are returned unchanged.
 */
export function groupPhone(value: string): string {
  const digits = value.replace(/^\+/, '')
  if (!/^[1-9][\d•*x]{6,14}$/.test(digits)) return value
  const codeLength = countryCodeLength(digits)
  // A mobile number of the United Kingdom: Ofcom writes 7700 900318.
  const mobile = /^44(7\d{3})([\d•*x]{6})$/.exec(digits)
  if (mobile) return `+44 ${mobile[1]} ${mobile[2]}`
  return `+${digits.slice(0, codeLength)} ${groups(digits.slice(codeLength)).join(' ')}`
}
