// The filters by what the money of a record tells. Links from figures of bills set them, too.
import { SelectField, TextField, type Option } from '../ui/Field.tsx'
import type { RecordsSearch } from './search.ts'

export type MoneyFilters = Pick<
  RecordsSearch,
  'period' | 'rate' | 'rateId' | 'settlement' | 'hold' | 'late' | 'unowned'
>

export function moneyFiltersOf(search: MoneyFilters): MoneyFilters {
  const { period, rate, rateId, settlement, hold, late, unowned } = search
  return { period, rate, rateId, settlement, hold, late, unowned }
}

export const settlementWords = { bill: 'In the bill', payout: 'In payouts', none: 'In neither' }
export const holdWords = { held: 'Held', none: 'Not held', refused: 'Refused' }

const optionsOf = (words: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries({ '': 'All', ...words }).map(([value, label]) => ({ value, label }))

const settlementOptions = optionsOf(settlementWords)
const holdOptions = optionsOf(holdWords)
const lateOptions = optionsOf({ true: 'Came late', false: 'Came in time' })
const ownerOptions = optionsOf({ true: 'Nobody' })

interface MoneyFilterFieldsProps {
  readonly draft: MoneyFilters
  readonly onChange: (change: Partial<MoneyFilters>) => void
}

export function MoneyFilterFields({ draft, onChange }: MoneyFilterFieldsProps) {
  return (
    <>
      <TextField
        label="Period"
        placeholder="3-17"
        value={draft.period}
        maxLength={20}
        onChange={({ target }) => onChange({ period: target.value.trim() })}
      />
      <TextField
        label="Rate (USD)"
        inputMode="decimal"
        placeholder="0.05"
        value={draft.rate}
        maxLength={20}
        // A rate that was chosen by its number is another one now.
        onChange={({ target }) => onChange({ rate: target.value.trim(), rateId: '' })}
      />
      <SelectField
        label="Settles"
        value={draft.settlement}
        options={settlementOptions}
        onChange={({ target }) => onChange({ settlement: target.value as MoneyFilters['settlement'] })}
      />
      <SelectField
        label="Hold"
        value={draft.hold}
        options={holdOptions}
        onChange={({ target }) => onChange({ hold: target.value as MoneyFilters['hold'] })}
      />
      <SelectField
        label="Arrival"
        value={draft.late}
        options={lateOptions}
        onChange={({ target }) => onChange({ late: target.value as MoneyFilters['late'] })}
      />
      <SelectField
        label="Held by"
        value={draft.unowned}
        options={ownerOptions}
        onChange={({ target }) => onChange({ unowned: target.value as MoneyFilters['unowned'] })}
      />
    </>
  )
}
