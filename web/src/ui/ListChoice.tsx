import type { ReactNode } from 'react'
import { Segmented } from './Segmented.tsx'
import { t } from '../language/t.ts'

interface ListChoiceProps<Value extends string> {
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly lists: readonly {
    readonly value: Value
    readonly label: string
    /** How much it shows. */
    readonly count?: number
    readonly content: ReactNode
  }[]
}

/** The lists of one tab: one is shown, and the choice above it leads to the others. */
export function ListChoice<Value extends string>({ value, onChange, lists }: ListChoiceProps<Value>) {
  return (
    <div className="space-y-4">
      <Segmented label={t('What is shown')} value={value} onChange={onChange} options={lists} />
      {lists.find((list) => list.value === value)?.content}
    </div>
  )
}
