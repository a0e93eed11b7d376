// Money as integers of a millionth (micro) and as decimal strings on the wire. No floats anywhere.
import { z } from 'zod'
import { plainFigures, withoutInvisible } from './plain-text.ts'

/** Millionths in one unit. USDT on TRON has six decimals, so a micro-amount is exact on chain too. */
const microPerUnit = 1_000_000n

/** The largest correction that a person may enter, 1,000,000 USDT: a slip of some zeros must not reach a bill. */
export const correctionMaxMicro = 1_000_000n * microPerUnit

const decimalPattern = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/

/**
 * Reads a decimal string with at most six decimals into micro-units.
 * Gives undefined for anything else (exponents, spaces, more decimals, empty).
 */
export function parseMicro(text: string): bigint | undefined {
  const match = decimalPattern.exec(text)
  if (!match) return undefined
  const [, sign = '', whole = '0', fraction = ''] = match
  const micro = BigInt(whole) * microPerUnit + BigInt(fraction.padEnd(6, '0'))
  return sign === '-' ? -micro : micro
}

/**
 * Writes micro-units as a decimal string without trailing zeros: 50000n → "0.05", 0n → "0".
 * `decimalsMin` keeps at least so many decimals (0 to 6).
 */
export function formatMicro(micro: bigint, decimalsMin = 0): string {
  const isNegative = micro < 0n
  const digits = (isNegative ? -micro : micro).toString().padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '').padEnd(decimalsMin, '0')
  return `${isNegative ? '-' : ''}${digits.slice(0, -6)}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * Whether a text is a spelling of an amount, with the currency beside it, separators of thousands, a decimal comma or
 * zeros at the end. What one sign could mean either way is compared in both readings.
 */
export function isAmountSpelledAs(micro: bigint, text: string): boolean {
  const [, figure = ''] =
    /^(?:USDT|USD|\$)?\s*([\d.,'\s]*\d)\s*(?:USDT|USD|\$)?(?:\s*\(?TRC-?20\)?)?$/i.exec(
      plainFigures(text).trim(),
    ) ?? []
  return [figure.replace(/[,'\s]/g, ''), figure.replace(/[.'\s]/g, '').replace(',', '.')].some(
    (reading) => isGrouped(figure) && parseMicro(reading.replace(/(\.\d{6})0+$/, '$1')) === micro,
  )
}

/** Separators of thousands have three digits behind each; the last sign may be that of the decimals. */
function isGrouped(figure: string): boolean {
  return /^(?:\d+|\d{1,3}(?:([.,'\s])\d{3})(?:\1\d{3})*)(?:[.,]\d+)?$/.test(figure)
}

/** What a person enters as a decimal: a string, or a number as forms send it; kept as a decimal string. `.5`, `5.` and `+1.5` are taken. */
export const decimalInputSchema = z.union([
  z.string().transform((text) =>
    withoutInvisible(text)
      .trim()
      .replace(/^\+(?=[\d.])/, '')
      .replace(/^\.(?=\d)/, '0.')
      .replace(/(?<=^\d+)\.$/, ''),
  ),
  z.number().transform(String),
])

function enteredAmount(isWithin: (micro: bigint) => boolean, range: string) {
  return decimalInputSchema.refine(
    (text) => {
      const micro = parseMicro(text)
      return micro !== undefined && isWithin(micro)
    },
    {
      error: ({ input }) =>
        parseMicro(String(input)) === undefined ? 'Enter a number with at most 6 decimals' : range,
    },
  )
}

/**
 * A price that a person enters. Spec §5: saved only when greater than 0; the API specification allows up to 100 USD and
 * 6 decimals.
 */
export const rateInputSchema = enteredAmount(
  (micro) => micro > 0n && micro <= 100n * microPerUnit,
  'Enter a rate above 0 and at most 100',
)

/** A tariff in shekels as a person enters it: 0 to 100,000 with at most 6 decimals (0800 numbers cost nothing). */
export const tariffInputSchema = enteredAmount(
  (micro) => micro >= 0n && micro <= 100_000n * microPerUnit,
  'Enter a rate from 0 to 100000',
)
