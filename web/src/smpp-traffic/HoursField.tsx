import { Segmented } from '../ui/Segmented.tsx'
import type { SmppTrafficSearch } from './search.ts'
import { t } from '../language/t.ts'

/** What is shown of a supplier's side, kept in the address of the page. */
export interface SmppTrafficProps {
  readonly state: SmppTrafficSearch
  /** `isStep`: Back returns from it. */
  readonly onChange: (patch: Partial<SmppTrafficSearch>, isStep?: boolean) => void
}

const spans = [
  { value: '24', label: t('24 hours') },
  { value: '168', label: t('7 days') },
] as const

/** Over how many hours the figures are. */
export function HoursField({ state, onChange }: SmppTrafficProps) {
  return (
    <Segmented
      label={t('Period')}
      value={state.hours}
      onChange={(hours) => onChange({ hours })}
      options={spans}
    />
  )
}
