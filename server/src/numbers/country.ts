// Countries of numbers. Forms carry a dialling code (+44) on one screen and a country (GB) on another.
import { getCountryCallingCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'

const names = new Intl.DisplayNames(['en'], { type: 'region' })

/** `GB` → `+44`; anything else as it is. */
export function diallingCode(code: string): string {
  return isSupportedCountry(code) ? `+${getCountryCallingCode(code)}` : code
}

/** Fills what was left empty from the number itself; what cannot be told stays empty. */
export function withCountry(
  digits: string,
  given: { country: string; countryCode: string },
): { country: string; countryCode: string } {
  if (given.country !== '' && given.countryCode !== '') return given
  const parsed = parsePhoneNumberFromString(`+${digits}`)
  const region = isSupportedCountry(given.countryCode) ? given.countryCode : parsed?.country
  return {
    country: given.country === '' && region !== undefined ? (names.of(region) ?? '') : given.country,
    countryCode:
      given.countryCode === '' && parsed !== undefined ? `+${parsed.countryCallingCode}` : given.countryCode,
  }
}
