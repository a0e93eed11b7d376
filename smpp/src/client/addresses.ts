import { ton } from '../values/ton-npi.ts'

/** An address with its type and plan (SMPP 3.4 §5.2.5, §5.2.6). */
export interface Address {
  readonly digits: string
  readonly ton: number
  readonly npi: number
}

// ITU-T E.164: the longest number of a country, and short codes, which no other network knows.
const shortCodeMax = 8

/**
 * The address that a text means. Letters: a name (TON 5, NPI 0). At most eight digits without a plus: a short code of the
 * network (TON 3, NPI 1). Other digits, with or without `+` or `00`: an international number (TON 1, NPI 1), sent without
 * its prefix. Give an {@link Address} for anything else, such as a national number.
 */
export function addressOf(text: string): Address {
  const isPrefixed = /^(\+|00)\d+$/.test(text)
  const digits = isPrefixed ? text.replace(/^(\+|00)/, '') : text
  if (!/^\d*$/.test(digits)) return { digits, ton: ton.alphanumeric, npi: 0 }
  if (digits === '') return { digits, ton: ton.unknown, npi: 0 }
  const isShortCode = !isPrefixed && digits.length <= shortCodeMax
  return { digits, ton: isShortCode ? ton.networkSpecific : ton.international, npi: 1 }
}
