import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './Button.tsx'
import { copyText, type CopyMessage } from './copy-text.ts'
import { IconButton } from './IconButton.tsx'
import { t } from '../language/t.ts'

interface CopyButtonProps {
  /** The whole value, or a function that fetches it. The function returns undefined after it has shown its failure. */
  readonly value: string | (() => Promise<string | undefined>)
  /** What it is: the button is named 'Copy <what>'. */
  readonly what: string
  /** Spec §8 by default: 'Copied to clipboard' with '<what> copied successfully'. */
  readonly words?: CopyMessage
  /** Shows the label Copy beside the icon, or this one. */
  readonly hasLabel?: boolean | string
  /** Called when it is in the clipboard. */
  readonly onCopied?: () => void
}

export function CopyButton({ value, what, words, hasLabel = false, onCopied }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    const text = typeof value === 'string' ? value : await value()
    if (text === undefined) return
    const isDone = await copyText(
      text,
      words ?? { title: t('Copied to clipboard'), text: t('{label} copied successfully', { label: what }) },
    )
    setCopied(isDone)
    if (isDone) onCopied?.()
  }
  const icon = isCopied ? Check : Copy
  const label = t('Copy {label}', { label: what })
  return hasLabel !== false ? (
    <Button
      size="sm"
      icon={icon}
      aria-label={hasLabel === true ? label : undefined}
      onClick={() => void copy()}
    >
      {hasLabel === true ? t('Copy') : hasLabel}
    </Button>
  ) : (
    <IconButton icon={icon} label={label} onClick={() => void copy()} />
  )
}
