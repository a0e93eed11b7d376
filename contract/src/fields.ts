// Field schemas that several routes share: ids, pages, dates, telephone numbers.
import { z } from 'zod'
import { plainFigures } from './plain-text.ts'
import { messageFields } from './sentences.ts'

/**
 * A whole number from `min` to `max`, also as digits in a URL or a form. Values that JavaScript would convert to a number
 * (`true`, a list, an empty field) are refused with the message `kind`, a number outside the limits with `range`.
 */
export function wholeNumber(min: number, max: number, kind = 'Enter a whole number', range?: string) {
  return z
    .union(
      [
        z
          .string()
          .trim()
          .regex(/^-?\d{1,15}$/, kind)
          .transform(Number),
        z.number(kind),
      ],
      kind,
    )
    .pipe(z.number(kind).int(kind).min(min, range).max(max, range))
}

/** A user's id. */
export const userIdSchema = wholeNumber(1, 2_147_483_647)

/** The id of anything else: digits. A string on the wire, since it may pass 2^53. */
export const idSchema = z.string().regex(/^\d{1,18}$/, 'Unknown id')

export const userIdParams = z.object({ id: userIdSchema })
export const idParams = z.object({ id: idSchema })

/** Default 100, at most 500; `cursor` is opaque. */
export const pageQuery = z.object({
  limit: wholeNumber(1, 500).default(100),
  cursor: z.string().max(500).optional(),
})

/** The largest number of rows in one export of chosen rows; for more, export by a filter. */
export const chosenRowsMax = 5_000

/** The rows of a list that somebody chose, for their export. */
export const chosenRowsSchema = z.object({ ids: z.array(idSchema).min(1).max(chosenRowsMax) })

/** Bytes of the largest such body: 21 for each id. */
export const chosenRowsBytes = 128 * 1024

/** The largest number of rows that one call changes: with more, the traffic gate would be closed for too long. */
export const changedRowsMax = 500

/** Names a change of several rows for undoing it within a week; null when no row was changed. */
export const changeIdSchema = idSchema.nullable()
/** The answer of a call that changes all rows or none. */
export const bulkAnswerSchema = z.object({ changed: z.int(), changeId: changeIdSchema })

/** Why a call on many rows did not change this one. */
export const refusedRowSchema = z.object({ id: z.string(), ...messageFields })
export type RefusedRow = z.infer<typeof refusedRowSchema>

/** The direction of a list: by default the newest or largest first. */
export const orderSchema = z.enum(['asc', 'desc']).default('desc')

/** A calendar day, `yyyy-MM-dd`, read in UTC. There is no year 0, for PostgreSQL either. */
export const daySchema = z.iso
  .date('Enter a date as yyyy-mm-dd')
  .refine((day) => !day.startsWith('0000'), 'Enter a date as yyyy-mm-dd')

/** An hour of a day, `yyyy-MM-ddThh`, read in UTC. */
export const hourSchema = z
  .string()
  .refine(
    (hour) => /T([01]\d|2[0-3])$/.test(hour) && daySchema.safeParse(hour.slice(0, -3)).success,
    'Enter an hour as yyyy-mm-ddThh',
  )

/** An instant, ISO 8601 with zone. */
export const instantSchema = z.iso.datetime({ offset: true, error: 'Enter a time as ISO 8601 with zone' })

/** A search box: trimmed, at most 100 characters; empty means no search. */
export const searchSchema = z.string().trim().max(100)

/** An e-mail address, without the blanks that are copied along. */
export const emailSchema = z
  .string()
  .trim()
  .refine((text) => !/^[^@\s]+@[^@\s.]+$/.test(text), 'Enter the whole address, such as ada@example.com')
  // Most mail servers take no others (RFC 6531 is an extension).
  .refine(
    (text) => !/\P{ASCII}/u.test(text),
    'Letters such as ü, and characters that nobody sees, are not possible: enter the address without them',
  )
  .check(z.email('Invalid email address'))
  .max(254, 'At most 254 characters')

// Spaces, dashes, dots, slashes and brackets of any script.
const separators = /[\s\-.()/\u2010-\u2015\u2212]/g
const trunkPrefix = '(0)'
// Italy (the Vatican too) and San Marino: there the 0 is a part of the number.
const codesWithZero: ReadonlySet<string> = new Set(['39', '378'])
// As links have it.
const linkScheme = /^\s*(?:tel|sms|callto):(?=[\s+\d])/i
// What programs that take a column for amounts write: 449098790142.0.
const decimals = /^(\s*\+?(?:\d\s?){7,15})[.,](\d+)\s*$/

/**
 * Removes spaces, dashes, dots, slashes and brackets, a leading + or 00, characters that nobody sees, the `tel:` of a link,
 * and the decimals of a number that was taken for an amount; the rest should be E.164 digits. The `(0)` of
 * `+44 (0)20 7946 0958` is dropped, since it is dialled within the country only.
 */
export function normaliseNumber(text: string): string {
  const plain = plainFigures(text).replace(linkScheme, '')
  const [, whole, fraction = ''] = decimals.exec(plain) ?? []
  // Other decimals show that it is an amount, and no number.
  if (whole !== undefined && /^(?:0+|\d\d?)$/.test(fraction))
    return /[1-9]/.test(fraction) ? plain : bareDigits(whole)
  const [code = '', rest, ...more] = plain.split(trunkPrefix)
  if (rest === undefined || more.length > 0) return bareDigits(plain)
  const digits = bareDigits(code)
  // Without a country code before it, the 0 makes clear that the number is a national one.
  return bareDigits(digits === '' || codesWithZero.has(digits) ? plain : code + rest)
}

function bareDigits(text: string): string {
  const bare = text.replace(separators, '')
  if (bare.startsWith('+')) return bare.slice(1)
  return bare.startsWith('00') ? bare.slice(2) : bare
}

/**
 * The digits of a number or of a part of one that somebody looks for, as {@link normaliseNumber} reads them; undefined for
 * any other text. Zeros at the front of a short part may stand in the middle of a number.
 */
export function searchedDigits(text: string): string | undefined {
  const digits = normaliseNumber(text)
  if (!/^\d+$/.test(digits)) return undefined
  return digits.length < 5 && plainFigures(text).trim().startsWith('00') ? `00${digits}` : digits
}

const internationalDigits = /^[1-9]\d{4,14}$/
// A short code has three to eight digits, so the shortest number has three.
const numberDigits = /^[1-9]\d{2,14}$/

/**
 * The digits of one of our numbers: E.164 digits, or a short code of 3 to 8; undefined for anything else. What begins
 * with + or 00 is international and has 5 digits at least. Source: API specification, Numbers.
 */
export function readNumber(text: string): string | undefined {
  const digits = normaliseNumber(text)
  const isInternational =
    digits.length < text.length &&
    /^(\+|00)/.test(plainFigures(text).replace(linkScheme, '').replace(separators, ''))
  return (isInternational ? internationalDigits : numberDigits).test(digits) ? digits : undefined
}

/** How spreadsheets show a long number: `4.49099E+11`. */
const roundedNumber = /^\s*\d(?:[.,]\d{1,20})?E\+?\d{1,3}\s*$/i

/** A telephone number or short code as a person enters it. The output is what {@link readNumber} gives. */
export const numberInputSchema = z
  .string()
  .max(40)
  .transform((text, context) => {
    const digits = readNumber(text)
    if (digits !== undefined) return digits
    context.addIssue(
      roundedNumber.test(text)
        ? 'A spreadsheet has rounded this number. Format its column as text and enter all digits'
        : 'Enter an international number, such as +44 909 879 0142, or a short code of 3 to 8 digits',
    )
    return z.NEVER
  })

/** `+44` and the like. */
export const countryCodeSchema = z
  .string()
  .trim()
  .regex(/^\+?\d{1,4}$/, 'Enter a country code such as +44')
  .transform((code) => (code.startsWith('+') ? code : `+${code}`))

/** The version that a form was opened with; saving an older one is refused (409 stale), so it overwrites nothing. */
export const versionSchema = wholeNumber(1, 2_147_483_647).optional()

/** An empty answer body, `{}`, for calls that return nothing. */
export const okSchema = z.object({})

/** Bytes in base64url, without padding; `max` characters at most. */
export function base64urlSchema(max: number) {
  return z
    .string()
    .max(max)
    .regex(/^[\w-]+$/, 'Not base64url')
}

const controlCharacter = /\p{Cc}/u

/** A one-line text: trimmed, `max` characters at most, no control characters. */
export function lineSchema(max: number): z.ZodType<string, string> {
  return z
    .string()
    .trim()
    .max(max)
    .refine((text) => !controlCharacter.test(text), 'Line breaks and control characters are not allowed')
}

/** SMPP 3.4 §5.2.8 leaves 20 characters to a source address; GSM has room for 11 septets of a name (3GPP TS 23.040 §9.1.2.5). */
const senderNameMax = 11
// 3GPP TS 23.038 §6.2.1.1: these take an escape, so two septets.
const extended = /[\^{}\\[\]~|\u20ac]/g

/** Whether a name has room in the source address of GSM: at most 11 septets, of which some characters need two. */
export function fitsSenderName(name: string): boolean {
  return name.length <= senderNameMax && name.length + (name.match(extended)?.length ?? 0) <= senderNameMax
}

/** A source address as a person enters it: a number of 20 digits at most, or a name that GSM has room for. */
export const senderSchema = lineSchema(20).refine(
  (text) => /^\+?\d*$/.test(text) || fitsSenderName(text),
  'A name has at most 11 characters; ^ { } \\ [ ] ~ | and € count as two',
)
