// A slip of the decimal point is the dearest slip of this page: a step of ten times or more says what it would come to, and
// is sent only after a second look.
import { treasuryRoutes } from '@tollgate/contract/treasury.ts'
import { parseMicro, rateInputSchema } from '@tollgate/contract/money.ts'
import { useApiQuery } from '../api/use-api.ts'
import { formatCount, formatRate } from '../format/money.ts'
import { Checkbox } from '../ui/Checkbox.tsx'
import { Notice } from '../ui/Notice.tsx'
import { t } from '../language/t.ts'

const largeRatio = 10n

/** How many times the rate in force a new rate is, or the other way round; undefined for a step that needs no second look. */
function ratioOf(present: string, next: string): { times: number; isRise: boolean } | undefined {
  const [before, after] = [parseMicro(present) ?? 0n, parseMicro(next) ?? 0n]
  if (before <= 0n || !rateInputSchema.safeParse(next).success) return undefined
  const isRise = after > before
  const [large, small] = isRise ? [after, before] : [before, after]
  return large >= small * largeRatio
    ? { times: Math.round(Number(large) / Number(small)), isRise }
    : undefined
}

/** Whether the step from `present` to `next` is to be confirmed. */
export const isLargeStep = (present: string, next: string): boolean => ratioOf(present, next) !== undefined

interface LargeStepProps {
  /** USD per SMS in force. */
  readonly present: string
  readonly next: string
  /** Of one client; undefined: the global rate. */
  readonly userId?: number
  readonly isConfirmed: boolean
  readonly onConfirm: (isConfirmed: boolean) => void
}

/** What a large step would have made of the open period, and the box that confirms it; nothing for a small step. */
export function LargeStep({ present, next, userId, isConfirmed, onConfirm }: LargeStepProps) {
  const step = ratioOf(present, next)
  const query = { rate: next, periodsBack: 0, ...(userId !== undefined && { userId }) }
  const { data } = useApiQuery(treasuryRoutes.whatIf, { query }, { isEnabled: step !== undefined })
  if (step === undefined) return null
  const times = formatCount(step.times)
  return (
    <Notice
      tone="warn"
      title={
        step.isRise
          ? t('{times} times the present rate', { times })
          : t('The present rate is {times} times as high', { times })
      }
    >
      <p>
        {data === undefined
          ? t('What this period would have come to is being calculated.')
          : data.smsCount === 0
            ? t('Nothing has come in at this rate in this period yet.')
            : t(
                'The {smsCount} SMS of this period so far come to {before} USDT. At {next} they would be {after} USDT.',
                {
                  smsCount: formatCount(data.smsCount),
                  before: data.before,
                  next: formatRate(next),
                  after: data.after,
                },
              )}
      </p>
      <Checkbox
        label={t('Yes, {next} per SMS', { next: formatRate(next) })}
        checked={isConfirmed}
        onChange={(event) => onConfirm(event.target.checked)}
      />
    </Notice>
  )
}
