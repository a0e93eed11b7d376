import { z } from 'zod'
import { sentence, spoken } from '@tollgate/contract/sentences.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { schemaMessage } from '@tollgate/contract/schema-messages.ts'
import { switchStates, type SwitchState } from '@tollgate/contract/vocabulary.ts'
import type { Settings } from '../settings/index.ts'
import type { BillingSettings } from './deps.ts'

const wholeSchema = (max: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, 'Enter a whole number')
    .transform(Number)
    .refine((value) => value <= max, `At most ${max}`)

const amountSchema = z
  .string()
  .refine((text) => (parseMicro(text) ?? -1n) >= 0n, 'Enter an amount with at most 6 decimals')
  .transform((text) => parseMicro(text) ?? 0n)

export function defineBillingSettings(settings: Settings): BillingSettings {
  return {
    closeBehindMax: settings.define<number>({
      key: 'close_behind_max',
      description: spoken(
        'Billing periods that may be due at once and close automatically; more wait for an admin',
      ),
      // One: the gateway may stand still over a Monday. A clock that has gone wrong makes many due at once.
      fallback: 1,
      schema: wholeSchema(52).refine(
        (value) => value > 0,
        schemaMessage(sentence('At least {limit}', { limit: '1' })),
      ),
    }),
    addressWaitHours: settings.define<number>({
      key: 'address_wait_hours',
      description: spoken('Hours before a changed USDT address is used; the first one is used at once'),
      // A thief with a stolen session would change the address. The client has three days to notice.
      fallback: 72,
      schema: wholeSchema(720),
      isAsStrict: (before, hours) => hours >= before,
    }),
    secondPersonAboveMicro: settings.define<bigint>({
      key: 'second_person_above',
      description: spoken('USDT that one person may move in 24 hours; above it a second person must approve'),
      fallback: 100_000_000n,
      schema: amountSchema,
      write: (micro) => formatMicro(micro),
      isAsStrict: (before, micro) => micro <= before,
    }),
    runMinimumMicro: settings.define<bigint>({
      key: 'run_minimum',
      description: spoken(
        'USDT below which a payment run leaves a transfer for a later run; 0 pays everything',
      ),
      fallback: 0n,
      schema: amountSchema,
      write: (micro) => formatMicro(micro),
    }),
    runBundling: settings.define<SwitchState>({
      key: 'run_bundling',
      description: spoken(
        'on: a payment run pays all debts of a client by one transfer, where a TRON node is configured',
      ),
      fallback: 'on',
      schema: z.enum(switchStates, schemaMessage(sentence('Choose on or off'))),
    }),
    runNetting: settings.define<SwitchState>({
      key: 'run_netting',
      description: spoken("on: a payment run first sets a client's credit off against what it is owed"),
      fallback: 'on',
      schema: z.enum(switchStates, schemaMessage(sentence('Choose on or off'))),
    }),
    overdueAfterDays: settings.define<number>({
      key: 'overdue_after_days',
      description: spoken(
        'Days after which a debt that may be paid is overdue; staff are reminded once a week',
      ),
      fallback: 7,
      schema: wholeSchema(365),
    }),
  }
}
