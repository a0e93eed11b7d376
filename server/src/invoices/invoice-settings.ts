// The settings of invoices. They move no money, so one admin sets them; invoices that were issued keep what they have.
import { z } from 'zod'
import { sentence, spoken } from '@tollgate/contract/sentences.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { daySchema, lineSchema } from '@tollgate/contract/fields.ts'
import { schemaMessage } from '@tollgate/contract/schema-messages.ts'
import {
  reverseChargeRules,
  type InvoiceKind,
  type ReverseChargeRule,
} from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import type { Setting, Settings } from '../settings/index.ts'
import { hasNumbersOfOther } from './issue-store.ts'
import { numberFormatSchema, writeFormat, type NumberFormat } from './number-format.ts'

export interface InvoiceSettings {
  readonly formats: Readonly<Record<InvoiceKind, Setting<NumberFormat>>>
  /** Periods that end before this day get no invoices; '' for none. */
  readonly from: Setting<string>
  readonly selfBillingWords: Setting<string>
  readonly reverseChargeWords: Setting<string>
  readonly reverseCharge: Setting<ReverseChargeRule>
}

const wordsSchema = lineSchema(500)

export function defineInvoiceSettings(settings: Settings): InvoiceSettings {
  const formats = defineFormats(settings)
  return {
    formats,
    from: settings.define<string>({
      key: 'invoices_from',
      description: spoken(
        'Day (yyyy-mm-dd) from which periods that end get invoices; empty: all periods get them',
      ),
      fallback: '',
      schema: z.union([z.literal(''), daySchema]),
    }),
    selfBillingWords: settings.define<string>({
      key: 'self_billing_words',
      description: spoken('What invoices and credit notes say about self-billing'),
      fallback: 'Self-billing: issued by the customer in the name and on behalf of the supplier.',
      schema: wordsSchema,
    }),
    reverseChargeWords: settings.define<string>({
      key: 'reverse_charge_words',
      description: spoken('What invoices and credit notes say about the reverse charge'),
      fallback: 'Reverse charge: the recipient of the services accounts for the VAT.',
      schema: wordsSchema,
    }),
    reverseCharge: settings.define<ReverseChargeRule>({
      key: 'reverse_charge',
      description: spoken(
        'Which invoices name the reverse charge: those across borders (client and own company are in different countries), always, or never',
      ),
      fallback: 'cross_border',
      schema: z.enum(reverseChargeRules, schemaMessage(sentence('Choose cross_border, always or never'))),
    }),
  }
}

/** Two series with the same letters would give a number twice. */
function defineFormats(settings: Settings): InvoiceSettings['formats'] {
  const refuseTaken = (kind: InvoiceKind, other: InvoiceKind) => async (tx: Db, format: NumberFormat) => {
    const { letters } = await formats[other].get(tx)
    if (letters === format.letters || (await hasNumbersOfOther(tx, kind, format.letters)))
      throw new Refusal(
        'invalid',
        sentence('The letters {letters} belong to another series. Choose others.', {
          letters: format.letters,
        }),
        { fields: { settingValue: 'These letters belong to another series' } },
      )
  }
  const define = (key: string, description: string, letters: string, kind: InvoiceKind, other: InvoiceKind) =>
    settings.define<NumberFormat>({
      key,
      description,
      fallback: { letters, separators: ['-', '-'] },
      schema: numberFormatSchema,
      write: writeFormat,
      refuse: refuseTaken(kind, other),
    })
  const formats = {
    invoice: define(
      'invoice_number',
      spoken('How the numbers of invoices look; a change counts from the next one on and goes on counting'),
      'SB',
      'invoice',
      'credit_note',
    ),
    credit_note: define(
      'credit_note_number',
      spoken(
        'How the numbers of credit notes look; a change counts from the next one on and goes on counting',
      ),
      'CN',
      'credit_note',
      'invoice',
    ),
  }
  return formats
}
