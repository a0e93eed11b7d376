// The days of what goes to accountants: the last month, unless others are chosen.
import { useState } from 'react'
import { DateField } from '../ui/DateField.tsx'
import type { UrlState } from '../url-state.ts'
import { lastMonth } from './last-month.ts'
import { t } from '../language/t.ts'

type SpanUrl = UrlState<{ readonly from: string; readonly to: string }>

export function useSpan({ state }: Pick<SpanUrl, 'state'>) {
  const [suggested] = useState(lastMonth)
  return { from: state.from || suggested.from, to: state.to || suggested.to }
}

interface SpanFieldsProps {
  readonly from: string
  readonly to: string
  readonly onChange: (changed: { readonly from: string } | { readonly to: string }) => void
}

export function SpanFields({ from, to, onChange }: SpanFieldsProps) {
  return (
    <>
      <DateField
        label={t('First day')}
        zone="UTC"
        value={from}
        onChange={({ target }) => onChange({ from: target.value })}
      />
      <DateField
        label={t('Last day')}
        zone="UTC"
        value={to}
        onChange={({ target }) => onChange({ to: target.value })}
      />
    </>
  )
}
