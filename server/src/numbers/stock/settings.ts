// What clients may do with numbers in stock.
import { z } from 'zod'
import { chooseOneOf, schemaMessage } from '@tollgate/contract/schema-messages.ts'
import { sentence, spoken } from '@tollgate/contract/sentences.ts'
import { stockOffers, type StockOffer } from '@tollgate/contract/vocabulary.ts'
import type { Settings } from '../../settings/index.ts'
import type { NumbersDeps } from '../deps.ts'

/** Declares the two settings and returns their readers. Call it once. */
export function defineStockSettings(
  settings: Pick<Settings, 'define'>,
): Required<Pick<NumbersDeps, 'stockOffer' | 'stockTakesPerDay'>> {
  const offer = settings.define<StockOffer>({
    key: 'number_stock',
    description:
      'What clients may do with available numbers that have a price of their own: off (they do not see them), request, or take (they hold one at once).',
    fallback: 'off',
    schema: z.enum(stockOffers, chooseOneOf(stockOffers)),
  })
  const takesPerDay = settings.define<number>({
    key: 'stock_takes_per_day',
    description: spoken('How many numbers one client may take in 24 hours, where number stock is take'),
    fallback: 10,
    schema: z
      .string()
      .regex(/^\d{1,5}$/, 'Enter a whole number')
      .transform(Number)
      .refine(
        (value) => value >= 1 && value <= 10_000,
        schemaMessage(sentence('From {min} to {max}', { min: '1', max: '10000' })),
      ),
  })
  return { stockOffer: (db) => offer.get(db), stockTakesPerDay: (db) => takesPerDay.get(db) }
}
