// Countries of numbers. Some forms send a dialling code (+44), others a country (GB).
import {
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'
import { sentence, type Sentence, type SentenceValue } from '@tollgate/contract/sentences.ts'

const names = new Intl.DisplayNames(['en'], { type: 'region' })

/** `GB` → `+44`; anything else as it is. */
export function diallingCode(code: string): string {
  return isSupportedCountry(code) ? `+${getCountryCallingCode(code)}` : code
}

/** Whether the text can be a country of an inventory item: `GB`, a dialling code, or nothing. */
export function isCountryCode(code: string): boolean {
  return !/^[A-Z]/.test(code) || isSupportedCountry(code)
}

/** The values by which a number belongs to a country. */
interface CountryFilter {
  readonly codes: readonly string[]
  readonly name: string
  /** The country's dialling code, which other countries may share: it counts only for numbers without a country name. */
  readonly sharedCode: string | null
}

/**
 * `GB` means numbers with this code or this country's name, or with +44 and no name. `+44` means all numbers with this
 * dialling code. Any other text is a country's name.
 */
export function countryFilter(country: string): CountryFilter {
  if (isSupportedCountry(country))
    return { codes: [country], name: names.of(country) ?? country, sharedCode: diallingCode(country) }
  const regions = getCountries().filter((region) => diallingCode(region) === country)
  return { codes: [country, ...regions], name: country, sharedCode: null }
}

interface NumberOrigin {
  readonly region: string | undefined
  readonly code: string
}

// Imports contain blocks of similar numbers, so the origin is cached by prefix. Countries that share a calling code
// differ within the first seven digits.
const prefixDigits = 7
const originsMax = 10_000
const origins = new Map<string, NumberOrigin>()

function originOf(digits: string): NumberOrigin {
  const key = `${digits.slice(0, prefixDigits)}/${digits.length}`
  let origin = origins.get(key)
  if (origin === undefined) {
    const parsed = parsePhoneNumberFromString(`+${digits}`)
    origin = { region: parsed?.country, code: parsed === undefined ? '' : `+${parsed.countryCallingCode}` }
    if (origins.size >= originsMax) origins.clear()
    origins.set(key, origin)
  }
  return origin
}

/** The one name of a country that people call by several, such as UK, GB and Great Britain; any other text as it is. */
export function countryName(text: string): string {
  const region = regionsByName.get(text.trim().toLowerCase())
  return region === undefined ? text : (names.of(region) ?? text)
}

/** Names the country one way, and fills empty fields from the digits of the number; what they do not determine stays empty. */
export function withCountry(
  digits: string,
  { country, countryCode }: { country: string; countryCode: string },
): { country: string; countryCode: string } {
  if (country !== '' && countryCode !== '') return { country: countryName(country), countryCode }
  const origin = originOf(digits)
  const region = isSupportedCountry(countryCode) ? countryCode : origin.region
  return {
    country: country === '' && region !== undefined ? (names.of(region) ?? '') : countryName(country),
    countryCode: countryCode === '' ? origin.code : countryCode,
  }
}

/** The English name of the country that these digits belong to; empty when they determine none. */
export function countryOf(digits: string): string {
  return withCountry(digits, { country: '', countryCode: '' }).country
}

/** Regions by their names in lower case, by their ISO codes, and by other names that people write. */
const regionsByName: ReadonlyMap<string, string> = new Map([
  ...getCountries().flatMap((region) => [
    [region.toLowerCase(), region] as const,
    [(names.of(region) ?? region).toLowerCase(), region] as const,
  ]),
  ['uk', 'GB'],
  ['great britain', 'GB'],
  ['usa', 'US'],
  ['united states of america', 'US'],
  ['the netherlands', 'NL'],
])

// Where several countries share a dialling code, the one that people mean by it.
const mainRegions: Readonly<Record<string, string>> = {
  '+1': 'US',
  '+7': 'RU',
  '+39': 'IT',
  '+44': 'GB',
  '+47': 'NO',
  '+61': 'AU',
  '+358': 'FI',
}

function countryValue(region: string | undefined, code: string): SentenceValue {
  const named = region ?? mainRegions[code] ?? getCountries().find((each) => diallingCode(each) === code)
  if (named === undefined) return code
  return { text: `${names.of(named) ?? named} (${code})`, country: named, diallingCode: code }
}

// Shorter digits can be a short code, which begins with no dialling code.
const shortCodeDigitsMax = 8

/** What to tell a person whose country or country code is not that of the digits; undefined when they agree or it is not known. */
export function countryWarning(input: {
  readonly number: string
  readonly country: string
  readonly countryCode: string
}): Sentence | undefined {
  const { number, country, countryCode } = input
  if (number.length <= shortCodeDigitsMax || (country === '' && countryCode === '')) return undefined
  const { region, code } = originOf(number)
  if (code === '') return undefined
  const origin = countryValue(region, code)
  const stated = regionsByName.get(country.toLowerCase())
  if (stated !== undefined) {
    const statedCode = diallingCode(stated)
    const isOther = statedCode !== code || (region !== undefined && region !== stated)
    if (isOther)
      return sentence('The country is {country}, but the number belongs to {origin}', {
        country: countryValue(stated, statedCode),
        origin,
      })
  }
  if (countryCode === '' || countryCode === code) return undefined
  return sentence('The country code is that of {country}, but the number belongs to {origin}', {
    country: countryValue(undefined, countryCode),
    origin,
  })
}
