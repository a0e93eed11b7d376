// Cells that several lists of numbers share.
import { formatUsdt } from '../format/money.ts'

/** What a number earned; a dash where nobody holds it. */
export function EarnedCell({ earned }: { earned: string }) {
  return earned === '' ? <span className="text-ink-3">–</span> : formatUsdt(earned)
}

/** A country with its dialling code. A dash if neither is known. */
export function CountryCell({ country, code }: { country: string; code: string }) {
  if (country === '' && code === '') return <span className="text-ink-3">–</span>
  return (
    <span className="inline-flex max-w-56 items-center gap-1.5">
      <span title={country} className="truncate">
        {country}
      </span>
      {code !== '' && (
        <span
          dir="ltr"
          className="shrink-0 rounded-xs border border-line bg-surface-2 px-1 text-xs text-ink-2"
        >
          {code}
        </span>
      )}
    </span>
  )
}

/** One line of a longer text. The title attribute has all of it. */
export function CutText({ value }: { value: string }) {
  if (value === '') return <span className="text-ink-3">–</span>
  return (
    <span title={value} className="block max-w-56 truncate">
      {value}
    </span>
  )
}
