import { CopyButton } from './CopyButton.tsx'
import type { CopyMessage } from './copy-text.ts'
import { Tooltip } from './Tooltip.tsx'

interface LongValueProps {
  /** The whole value: shown in the tooltip and copied. */
  readonly value: string
  /** Shortened by format/shorten.ts. */
  readonly short: string
  readonly what: string
  readonly words?: CopyMessage
}

/** A hash or address in a list: shortened, with a copy button, and whole in the tooltip. */
export function LongValue({ value, short, what, words }: LongValueProps) {
  return (
    <span className="inline-flex items-center gap-0.5">
      <Tooltip text={<span className="break-all">{value}</span>} isMono>
        <span tabIndex={0} className="rounded-xs font-mono">
          {short}
        </span>
      </Tooltip>
      <CopyButton value={value} what={what} {...(words && { words })} />
    </span>
  )
}
