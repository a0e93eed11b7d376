import type { ScheduledRate } from '@tollgate/contract/rates/rates.ts'
import type { Route, RouteCall } from '@tollgate/contract/route.ts'
import { useState } from 'react'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { formatDateTime } from '../format/dates.ts'
import { Button } from '../ui/Button.tsx'
import { t } from '../language/t.ts'

interface ScheduledRateNoteProps<R extends Route> {
  readonly scheduled: ScheduledRate
  /** Whose own rate it is: a username, the number of a range or a number; undefined: the global one. */
  readonly of?: string
  /** What holds where a rate of its own ends; by default the global rate. */
  readonly ended?: string
  /** In the currency of the rate. */
  readonly format: (rate: string) => string
  /** Cancels it. */
  readonly route: R
  readonly call: RouteCall<R>
  readonly refetch: readonly string[]
}

/** The rate or tariff that starts later, and the way to cancel it. */
export function ScheduledRateNote<R extends Route>({
  scheduled: { rate, startsAt, setBy },
  of: username,
  ended = t('the global rate'),
  format,
  ...cancel
}: ScheduledRateNoteProps<R>) {
  const [isAsking, setAsking] = useState(false)
  const when = {
    scheduled: rate === '' ? ended : format(rate),
    startsAt: formatDateTime(startsAt),
  }
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <span>{t('{scheduled} from {startsAt}, set by {setBy}', { ...when, setBy })}</span>
      <Button
        size="sm"
        aria-label={
          username === undefined
            ? t('Cancel scheduled rate')
            : t('Cancel scheduled rate of {username}', { username })
        }
        onClick={() => setAsking(true)}
      >
        {t('Cancel')}
      </Button>
      {isAsking && (
        <ConfirmMutation
          {...cancel}
          onClose={() => setAsking(false)}
          title={
            username === undefined
              ? t('Cancel the scheduled rate?')
              : t('Cancel the scheduled rate of {username}?', { username })
          }
          success={t('The rate will not start')}
          failure={t('Failed to cancel the rate')}
          confirmLabel={t('Cancel rate')}
          busyLabel={t('Cancelling...')}
        >
          {t('The current rate stays. {scheduled} was to start on {startsAt}.', when)}
        </ConfirmMutation>
      )}
    </span>
  )
}
