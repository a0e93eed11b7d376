// A slip of the decimal point is the dearest slip of a form with a price: a step of ten times or more is sent only after a
// second look.
import { parseMicro, rateInputSchema } from '@tollgate/contract/money.ts'
import { useState, type ReactNode } from 'react'
import { formatCount } from '../format/money.ts'
import { t } from '../language/t.ts'
import { Checkbox } from '../ui/Checkbox.tsx'
import { Notice } from '../ui/Notice.tsx'

const largeRatio = 10n

interface LargeStep {
  readonly times: number
  readonly isRise: boolean
}

/** How many times the present price a new one is, or the other way round; undefined for a step that needs no second look. */
function largeStepOf(present: string, next: string): LargeStep | undefined {
  const [before, after] = [parseMicro(present) ?? 0n, parseMicro(next) ?? 0n]
  if (before <= 0n || !rateInputSchema.safeParse(next).success) return undefined
  const isRise = after > before
  const [large, small] = isRise ? [after, before] : [before, after]
  return large >= small * largeRatio
    ? { times: Math.round(Number(large) / Number(small)), isRise }
    : undefined
}

export interface PriceStep {
  /** Undefined for a step that needs no second look. */
  readonly large: LargeStep | undefined
  /** The form is not sent while this holds. */
  readonly mustConfirm: boolean
  readonly isConfirmed: boolean
  readonly confirm: (isConfirmed: boolean) => void
}

/** Watches the step from the price in force to the one that is typed; both decimal strings. */
export function usePriceStep(present: string, next: string): PriceStep {
  const [confirmed, setConfirmed] = useState('')
  const large = largeStepOf(present, next)
  const isConfirmed = confirmed === next
  return {
    large,
    mustConfirm: large !== undefined && !isConfirmed,
    isConfirmed,
    confirm: (isYes) => setConfirmed(isYes ? next : ''),
  }
}

interface PriceStepNoticeProps {
  readonly step: PriceStep
  /** The new price, as people read it. */
  readonly price: string
  /** What it would come to. */
  readonly children?: ReactNode
}

/** Says how large the step is, with the box that confirms it; nothing for a small step. */
export function PriceStepNotice({ step, price, children }: PriceStepNoticeProps) {
  if (step.large === undefined) return null
  const times = formatCount(step.large.times)
  return (
    <Notice
      tone="warn"
      title={
        step.large.isRise
          ? t('{times} times the present rate', { times })
          : t('The present rate is {times} times as high', { times })
      }
    >
      {children}
      <Checkbox
        label={t('Yes, {next} per SMS', { next: price })}
        checked={step.isConfirmed}
        onChange={(event) => step.confirm(event.target.checked)}
      />
    </Notice>
  )
}
