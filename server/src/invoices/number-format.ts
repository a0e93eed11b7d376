// How the numbers of invoices look: letters, the year, and the place in the year's series.
import { z } from 'zod'
import { schemaMessage } from '@tollgate/contract/schema-messages.ts'
import { sentence } from '@tollgate/contract/sentences.ts'

const pattern = /^([A-Za-z]{1,10})([-/.])\{year\}([-/.])\{number\}$/

/** A format such as `SB-{year}-{number}`. */
export interface NumberFormat {
  readonly letters: string
  readonly separators: readonly [string, string]
}

export const numberFormatSchema: z.ZodType<NumberFormat, string> = z
  .string()
  .regex(
    pattern,
    schemaMessage(
      sentence('Enter letters, {year} and {number}, parted by one of - / .: SB-{year}-{number}', {
        year: '{year}',
        number: '{number}',
      }),
    ),
  )
  .transform((text) => {
    const [, letters = '', first = '', second = ''] = pattern.exec(text) ?? []
    return { letters: letters.toUpperCase(), separators: [first, second] }
  })

export const writeFormat = ({ letters, separators: [first, second] }: NumberFormat): string =>
  `${letters}${first}{year}${second}{number}`

/** What stands before the last digits of all numbers of a year. */
export const prefixOf = ({ letters, separators: [first, second] }: NumberFormat, year: number): string =>
  `${letters}${first}${year}${second}`

/** Numbers have at least this many digits after the prefix. */
export const numberDigits = 6
