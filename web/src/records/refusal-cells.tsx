// The cells that tables of refusals share.
import { formatAge } from '../format/dates.ts'
import { useNow } from '../ui/use-now.ts'
import { hexStatus, statusWords, type ReasonWords } from './refusal-words.ts'

/** Why it was refused, and what can be done about it. */
export function Why({ what, fix }: ReasonWords) {
  return (
    <span className="block min-w-48 py-1.5 whitespace-normal">
      {what}
      <span className="block text-pretty font-normal text-ink-3">{fix}</span>
    </span>
  )
}

/** A status as it came and what it means. */
export function Status(of: { readonly status: number; readonly statusText: string }) {
  return (
    <span className="block">
      <span className="font-mono">{hexStatus(of.status)}</span>
      <span className="block text-pretty whitespace-normal text-ink-3">{statusWords(of.statusText)}</span>
    </span>
  )
}

/** How long ago it happened last. */
export function LastAt({ at }: { at: string }) {
  return <>{formatAge(at, useNow(30_000))}</>
}
