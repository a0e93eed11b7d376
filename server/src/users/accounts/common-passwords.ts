// The most common passwords, in lower case. OWASP ASVS 5.0, 6.2.4 asks for at least the first 3,000 that fit the length
// rule.
import { dictionary } from '@zxcvbn-ts/language-common'

// The list is ordered by use. Further down are words that no attacker tries early.
const commonMax = 10_000

// Passwords of this product and trade, and patterns that the list leaves out.
const furtherPasswords = `
  123456789012 1234567890123 1234567890qwerty admin12 admin123 admin1234 admin12345678 adminadmin
  administrator administrator1 administrator123 changeme123 changemechangeme correcthorsebatterystaple
  dragon123 gateway1 gateway123 guest123 hunter2 iloveyouforever letmein123 letmeinletmein master123
  monkey123 mynoob operator1 operator123 p@ssword passw0rd1 password! password1! password1234
  password12345 password123456 passwordpassword princess1 qwertyqwerty qwertyuiop123 qwertyuiopasdf
  secret123 smppclient smppclient1 summer123 support1 support123 target123 test12345 testing123 tollgate
  tollgate1 tollgate123 tollgateadmin user123 user1234 welcome123 welcomewelcome winter123
`

export const commonPasswords: ReadonlySet<string> = new Set([
  ...(dictionary['passwords-common'] ?? []).slice(0, commonMax).map((password) => password.toLowerCase()),
  ...furtherPasswords.trim().split(/\s+/),
])

/** Whether attackers try this password (in lower case) first: it is common, a repetition, or a plain sequence. */
export function isTriedFirst(password: string): boolean {
  return commonPasswords.has(password) || /^(.{1,4})\1+$/u.test(password) || isSequence(password)
}

/** `abcdefg`, `7654321`. */
function isSequence(text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const step = (codes[1] ?? 0) - (codes[0] ?? 0)
  return Math.abs(step) === 1 && codes.every((code, place) => code === (codes[0] ?? 0) + place * step)
}
