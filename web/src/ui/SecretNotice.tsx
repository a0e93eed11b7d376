import type { ReactNode } from 'react'
import { CopyButton } from './CopyButton.tsx'
import { Notice } from './Notice.tsx'
import { useShownOnce } from './use-shown-once.ts'

interface SecretNoticeProps {
  readonly title: string
  readonly value: string
  /** What it is, for the button that copies it. */
  readonly what: string
  /** What to do with it, above it. */
  readonly children?: ReactNode
}

/**
 * A new secret that is not shown again; leaving it asks until it is copied. Another secret needs another `key` of
 * React.
 */
export function SecretNotice({ title, value, what, children }: SecretNoticeProps) {
  const { box, onSaved } = useShownOnce<HTMLSpanElement>()
  return (
    <Notice tone="ok" title={title} isAlert>
      {children}
      <span ref={box} className="flex items-center gap-1 pt-1 font-mono break-all">
        {value}
        <CopyButton value={value} what={what} onCopied={onSaved} />
      </span>
    </Notice>
  )
}
