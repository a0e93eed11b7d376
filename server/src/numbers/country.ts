// Countries of numbers. Forms carry a dialling code (+44) on one screen and a country (GB) on another.
import {
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'

const names = new Intl.DisplayNames(['en'], { type: 'region' })

/** `GB` → `+44`; anything else as it is. */
export function diallingCode(code: string): string {
  return isSupportedCountry(code) ? `+${getCountryCallingCode(code)}` : code
}

/** Whether a stock's country is one: `GB`, or a dialling code, or nothing. */
export function isCountryCode(code: string): boolean {
  return !/^[A-Z]/.test(code) || isSupportedCountry(code)
}

/** What a number of a country may carry. */
export interface CountryMarks {
  readonly codes: readonly string[]
  readonly name: string
  /** A dialling code that others have too: it tells the country only where no name does. */
  readonly sharedCode: string | null
}

/** `GB`: numbers marked GB, or named so, or with +44 and no name; `+44`: all of that code; else a name. */
export function countryMarks(wanted: string): CountryMarks {
  if (isSupportedCountry(wanted))
    return { codes: [wanted], name: names.of(wanted) ?? wanted, sharedCode: diallingCode(wanted) }
  const sharing = getCountries().filter((region) => diallingCode(region) === wanted)
  return { codes: [wanted, ...sharing], name: wanted, sharedCode: null }
}

interface Origin {
  readonly region: string | undefined
  readonly code: string
}

// Imports bring blocks of neighbours. Countries that share a calling code part within the first seven digits.
const tellingDigits = 7
const originsMax = 10_000
const origins = new Map<string, Origin>()

function originOf(digits: string): Origin {
  const key = `${digits.slice(0, tellingDigits)}/${digits.length}`
  let origin = origins.get(key)
  if (origin === undefined) {
    const parsed = parsePhoneNumberFromString(`+${digits}`)
    origin = { region: parsed?.country, code: parsed === undefined ? '' : `+${parsed.countryCallingCode}` }
    if (origins.size >= originsMax) origins.clear()
    origins.set(key, origin)
  }
  return origin
}

/** Fills what was left empty from the number itself; what cannot be told stays empty. */
export function withCountry(
  digits: string,
  given: { country: string; countryCode: string },
): { country: string; countryCode: string } {
  if (given.country !== '' && given.countryCode !== '') return given
  const origin = originOf(digits)
  const region = isSupportedCountry(given.countryCode) ? given.countryCode : origin.region
  return {
    country: given.country === '' && region !== undefined ? (names.of(region) ?? '') : given.country,
    countryCode: given.countryCode === '' ? origin.code : given.countryCode,
  }
}
