// Times in each way that providers write them, from a seeded generator: each is read to the millisecond, and a spoilt one is
// refused or one of the same day; never a time that nobody wrote.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTime } from './read-time.ts'

const parameters = { numRuns: 10_000, seed: 39 }
// 2001 to 2099, as counts of seconds have ten digits then.
const instant = fc.integer({ min: 1_000_000_000_000, max: 4_070_908_799_999 })
const offset = fc.integer({ min: -12 * 4, max: 14 * 4 }).map((quarters) => quarters * 15)
const two = (value: number): string => String(value).padStart(2, '0')
const zoneOf = (minutes: number, colon: string): string =>
  `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}${colon}${two(Math.abs(minutes) % 60)}`
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

interface Written {
  readonly text: string
  readonly ms: number
}

/** An instant in one of the forms; those without milliseconds are of a whole second. */
const written: fc.Arbitrary<Written> = fc
  .tuple(instant, offset, fc.constantFrom('', ':'), fc.nat(9), fc.constantFrom('T', ' '))
  .chain(([ms, minutes, colon, more, between]) => {
    const local = new Date(ms + minutes * 60_000).toISOString()
    const [day, time, seconds] = [local.slice(0, 10), local.slice(11, 23), local.slice(11, 19)]
    const whole = ms - (ms % 1_000)
    const utc = new Date(ms).toISOString()
    const mail = new Date(ms + minutes * 60_000)
    const mailed = `${two(mail.getUTCDate())} ${months[mail.getUTCMonth()] ?? ''} ${mail.getUTCFullYear()} ${seconds}`
    return fc.constantFrom<Written>(
      { text: `${day}${between}${time}${zoneOf(minutes, colon)}`, ms },
      { text: `${day}${between}${time}${'7'.repeat(more)}${zoneOf(minutes, colon)}`, ms },
      { text: `${day}${between}${seconds}${zoneOf(minutes, colon)}`, ms: whole },
      { text: utc, ms },
      { text: utc.replace('Z', ' UTC'), ms },
      { text: `${utc.slice(0, 23)} +0000 UTC`.replace('T', ' '), ms },
      { text: utc.slice(0, 23).replace('T', between), ms },
      { text: utc.slice(0, 19).replaceAll(/[-:T]/g, ''), ms: whole },
      { text: mailed + ` ${zoneOf(minutes, '')}`, ms: whole },
      { text: `/Date(${ms})/`, ms },
      { text: String(ms), ms },
      { text: String(whole / 1_000), ms: whole },
      { text: `${ms}${String(more).repeat(3)}`, ms },
      { text: `${ms}${String(more).repeat(6)}`, ms },
    )
  })

test('10,000 times in every form are read to the millisecond', () => {
  fc.assert(
    fc.property(written, ({ text, ms }) => {
      expect([text, readTime(text, 'UTC')]).toEqual([text, ms])
    }),
    parameters,
  )
})

test('10,000 local times are the instant that the clocks of their zone show', () => {
  const zones = [
    'Asia/Jerusalem',
    'Europe/London',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
  ]
  fc.assert(
    fc.property(instant, fc.constantFrom(...zones), (at, timeZone) => {
      const clocks = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
      const shown = clocks.format(at)
      const read = readTime(shown, timeZone)
      // Of the hour that comes twice in autumn it may be the other one: the clocks show the same.
      expect([shown, timeZone, read === undefined ? undefined : clocks.format(read)]).toEqual([
        shown,
        timeZone,
        shown,
      ])
      expect(Math.abs((read ?? 0) - (at - (at % 1_000)))).toBeLessThanOrEqual(3_600_000)
    }),
    parameters,
  )
})

test('10,000 spoilt times are refused, or are times of the day that they name', () => {
  const spoilt = fc
    .tuple(written, fc.nat(40), fc.constantFrom('', '0', '9', '-', ':', ' ', 'Z', 'x', '٣', '\0'))
    .map(
      ([{ text }, at, sign]) => text.slice(0, at % text.length) + sign + text.slice((at % text.length) + 1),
    )
  fc.assert(
    fc.property(fc.oneof(spoilt, fc.string(), fc.string({ unit: 'binary' })), (text) => {
      const read = readTime(text, 'Asia/Jerusalem')
      expect([text, read === undefined || Number.isSafeInteger(read)]).toEqual([text, true])
      // A day and a time as digits say what they are to whoever reads them again.
      if (read !== undefined && /^\d{4}-/.test(text))
        expect(Math.abs(read - Date.parse(`${text.slice(0, 10)}T12:00:00Z`))).toBeLessThan(2 * 86_400_000)
    }),
    parameters,
  )
})
