// A slip of the decimal point is the dearest slip of a form with a price: a step of ten times or more is sent only after a
// second look.
import { parseMicro, rateInputSchema } from '@tollgate/contract/money.ts'
import { useState, type ReactNode } from 'react'
import { formatCount } from '../format/money.ts'
import { t } from '../language/t.ts'
import { Checkbox } from '../ui/Checkbox.tsx'
import { Notice } from '../ui/Notice.tsx'

const largeRatio = 10n

type PriceSchema = typeof rateInputSchema

interface LargeStep {
  /** Undefined for a step to 0, which has no ratio. */
  readonly times: number | undefined
  readonly isRise: boolean
}

/** How many times the present price a new one is, or the other way round; undefined for a step that needs no second look. */
function largeStepOf(present: string, next: string, schema: PriceSchema): LargeStep | undefined {
  const [before, after] = [parseMicro(present) ?? 0n, parseMicro(next) ?? 0n]
  if (before <= 0n || !schema.safeParse(next).success) return undefined
  if (after === 0n) return { times: undefined, isRise: false }
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

/**
 * Watches the step from the price in force, the thing's own or an inherited one, to the one that is typed; both decimal strings. `schema` says which prices the
 * form takes. An empty next price, which inherits one, is no large step.
 */
export function usePriceStep(
  present: string,
  next: string,
  schema: PriceSchema = rateInputSchema,
): PriceStep {
  const [confirmed, setConfirmed] = useState('')
  const large = largeStepOf(present, next, schema)
  const isConfirmed = confirmed === next
  return {
    large,
    mustConfirm: large !== undefined && !isConfirmed,
    isConfirmed,
    confirm: (isYes) => setConfirmed(isYes ? next : ''),
  }
}

function stepWords({ times: ratio, isRise }: LargeStep): string {
  if (ratio === undefined) return t('The current rate falls to zero')
  const times = formatCount(ratio)
  return isRise
    ? t('{times} times the current rate', { times })
    : t('The current rate is {times} times as high', { times })
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
  return (
    <Notice tone="warn" title={stepWords(step.large)}>
      {children}
      <Checkbox
        label={t('Yes, {next} per SMS', { next: price })}
        checked={step.isConfirmed}
        onChange={(event) => step.confirm(event.target.checked)}
      />
    </Notice>
  )
}
