// The filters by what the money of a record tells. Links from figures of bills set them, too.
import { SelectField, TextField, type Option } from '../ui/Field.tsx'
import type { RecordsSearch } from './search.ts'
import { t } from '../language/t.ts'

export type MoneyFilters = Pick<
  RecordsSearch,
  'period' | 'rate' | 'rateId' | 'settlement' | 'hold' | 'late' | 'unowned' | 'test'
>

export function moneyFiltersOf(search: MoneyFilters): MoneyFilters {
  const { period, rate, rateId, settlement, hold, late, unowned, test } = search
  return { period, rate, rateId, settlement, hold, late, unowned, test }
}

export const settlementWords = { bill: t('In the bill'), payout: t('In payouts'), none: t('In neither') }
export const holdWords = { held: t('Held'), none: t('Not held'), refused: t('Refused') }

export const testWords = { true: t('Tests only'), false: t('Without tests') }

const optionsOf = (words: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries({ '': t('All'), ...words }).map(([value, label]) => ({ value, label }))

const settlementOptions = optionsOf(settlementWords)
const holdOptions = optionsOf(holdWords)
const lateOptions = optionsOf({ true: t('Came late'), false: t('Came in time') })
const ownerOptions = optionsOf({ true: t('Nobody') })
const testOptions = optionsOf(testWords)

interface MoneyFilterFieldsProps {
  readonly draft: MoneyFilters
  readonly onChange: (change: Partial<MoneyFilters>) => void
}

export function MoneyFilterFields({ draft, onChange }: MoneyFilterFieldsProps) {
  return (
    <>
      <TextField
        label={t('Period')}
        placeholder="3-17"
        value={draft.period}
        maxLength={20}
        onChange={({ target }) => onChange({ period: target.value.trim() })}
      />
      <TextField
        label={t('Rate (USD)')}
        inputMode="decimal"
        placeholder="0.05"
        value={draft.rate}
        maxLength={20}
        // A rate that was chosen by its number is another one now.
        onChange={({ target }) => onChange({ rate: target.value.trim(), rateId: '' })}
      />
      <SelectField
        label={t('Settles')}
        value={draft.settlement}
        options={settlementOptions}
        onChange={({ target }) => onChange({ settlement: target.value as MoneyFilters['settlement'] })}
      />
      <SelectField
        label={t('Hold')}
        value={draft.hold}
        options={holdOptions}
        onChange={({ target }) => onChange({ hold: target.value as MoneyFilters['hold'] })}
      />
      <SelectField
        label={t('Arrival')}
        value={draft.late}
        options={lateOptions}
        onChange={({ target }) => onChange({ late: target.value as MoneyFilters['late'] })}
      />
      <SelectField
        label={t('Held by')}
        value={draft.unowned}
        options={ownerOptions}
        onChange={({ target }) => onChange({ unowned: target.value as MoneyFilters['unowned'] })}
      />
      <SelectField
        label={t('Test messages')}
        value={draft.test}
        options={testOptions}
        onChange={({ target }) => onChange({ test: target.value as MoneyFilters['test'] })}
      />
    </>
  )
}
