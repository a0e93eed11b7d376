import { useId } from 'react'
import { classNames } from './class-names.ts'
import { Count } from './Tabs.tsx'

interface SegmentedProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly onChange: (value: Value) => void
  /** A count beside a label: how much the choice shows. Undefined while it loads: its place is kept. */
  readonly options: readonly {
    readonly value: Value
    readonly label: string
    readonly count?: number | undefined
  }[]
}

/** A choice with all options visible: radio buttons in one track; more than four go on in another line. */
export function Segmented<Value extends string>({ label, value, onChange, options }: SegmentedProps<Value>) {
  const name = useId()
  return (
    <fieldset
      className={classNames(
        'max-w-full min-w-0 rounded-lg border border-line bg-surface-3 p-0.5',
        options.length > 4 ? 'inline-flex flex-wrap' : 'inline-grid auto-cols-fr grid-flow-col',
      )}
    >
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="relative flex h-7 items-center justify-center gap-1.5 rounded-md px-3 font-medium max-sm:px-2 text-ink-2 hover:text-ink has-checked:bg-surface has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-focus pointer-coarse:h-11"
        >
          <input
            type="radio"
            data-switches=""
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 appearance-none opacity-0"
          />
          {option.label}
          {'count' in option && option.count === undefined && <span className="w-4.5" />}
          {(option.count ?? 0) > 0 && <Count value={option.count ?? 0} />}
        </label>
      ))}
    </fieldset>
  )
}
