// The terms of clients that have none of their own. 0 stands for no limit.
import { z } from 'zod'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { schemaMessage } from '@tollgate/contract/schema-messages.ts'
import { sentence, spoken } from '@tollgate/contract/sentences.ts'
import type { Db } from '../platform/db.ts'
import type { Settings } from '../settings/index.ts'

/** The terms that the settings give. Limits are of newcomers; 0 is none. */
export interface DefaultTerms {
  readonly numbersMax: number
  readonly smsPerDayMax: number
  readonly valuePerCycleMaxMicro: bigint
  /** Newcomers wait at least as long as everybody else. */
  readonly newcomerDays: number
  readonly payableAfterDays: number
}

const wholeSchema = (max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, 'Enter a whole number')
    .transform(Number)
    .refine((value) => value <= max, schemaMessage(sentence('At most {limit}', { limit: String(max) })))

const isLimitAsStrict = (before: number | bigint, value: number | bigint) =>
  before <= 0 || (value > 0 && value <= before)

/** Declares the settings and returns their reader. Call it once. */
export function defineDefaultTerms(settings: Pick<Settings, 'define'>): (db: Db) => Promise<DefaultTerms> {
  const limit = (key: string, description: string, max: number) =>
    settings.define<number>({
      key,
      description,
      fallback: 0,
      schema: wholeSchema(max),
      isAsStrict: isLimitAsStrict,
    })
  const days = (key: string, description: string) =>
    settings.define<number>({
      key,
      description,
      fallback: 0,
      schema: wholeSchema(365),
      isAsStrict: (before, value) => value >= before,
    })
  const payableAfterDays = days(
    'payable_after_days',
    spoken('Days between the close of a billing period and the day it may be paid'),
  )
  const newcomerDays = days(
    'newcomer_payable_after_days',
    spoken('The same for the first three bills of a client, where it is longer; 30 are usual in this trade'),
  )
  const numbersMax = limit(
    'newcomer_numbers_max',
    spoken('Numbers that a client may hold until its third bill; 0: any number'),
    1_000_000,
  )
  const smsPerDayMax = limit(
    'newcomer_sms_per_day_max',
    spoken(
      'SMS a day above which the bill of a client waits for a person, until its third bill; 0: no limit',
    ),
    1_000_000_000,
  )
  const valueMax = settings.define<bigint>({
    key: 'newcomer_value_max',
    description: spoken(
      'USDT of a billing period above which the bill of a client waits for a person, until its third bill; 0: no limit',
    ),
    fallback: 0n,
    schema: z
      .string()
      .refine((text) => (parseMicro(text) ?? -1n) >= 0n, 'Enter an amount with at most 6 decimals')
      .transform((text) => parseMicro(text) ?? 0n),
    write: (micro) => formatMicro(micro),
    isAsStrict: isLimitAsStrict,
  })
  return async (db) => ({
    numbersMax: await numbersMax.get(db),
    smsPerDayMax: await smsPerDayMax.get(db),
    valuePerCycleMaxMicro: await valueMax.get(db),
    newcomerDays: await newcomerDays.get(db),
    payableAfterDays: await payableAfterDays.get(db),
  })
}
