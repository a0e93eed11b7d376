import { ratesRoutes, type ScheduledRate } from '@tollgate/contract/rates.ts'
import { useState } from 'react'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { formatDateTime } from '../format/dates.ts'
import { formatRate } from '../format/money.ts'
import { Button } from '../ui/Button.tsx'
import { ratePaths } from './queries.ts'
import { t } from '../language/t.ts'

interface ScheduledRateNoteProps {
  readonly scheduled: ScheduledRate
  /** Whose own rate it is; undefined: the global one. */
  readonly user?: { readonly id: number; readonly username: string }
}

const rateWords = ({ rate }: ScheduledRate) => (rate === '' ? t('the global rate') : formatRate(rate))

/** The rate that starts later, and the way to cancel it. */
export function ScheduledRateNote({ scheduled, user }: ScheduledRateNoteProps) {
  const [isAsking, setAsking] = useState(false)
  const question = {
    onClose: () => setAsking(false),
    title: t('Cancel the rate that starts later{value}?', {
      value: user ? ' ' + t('for {username}', { username: user.username }) : '',
    }),
    refetch: ratePaths,
    success: t('The rate will not start'),
    failure: t('Failed to cancel the rate'),
    confirmLabel: t('Cancel rate'),
    busyLabel: t('Cancelling...'),
    children: t('The present rate stays. {scheduled} was to start on {startsAt}.', {
      scheduled: rateWords(scheduled),
      startsAt: formatDateTime(scheduled.startsAt),
    }),
  } as const
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <span>
        {t('{scheduled} from {startsAt}, set by {setBy}', {
          scheduled: rateWords(scheduled),
          startsAt: formatDateTime(scheduled.startsAt),
          setBy: scheduled.setBy,
        })}
      </span>
      <Button
        size="sm"
        aria-label={t('Cancel scheduled rate{value}', {
          value: user ? ' ' + t('of {username}', { username: user.username }) : '',
        })}
        onClick={() => setAsking(true)}
      >
        {t('Cancel')}
      </Button>
      {isAsking &&
        (user ? (
          <ConfirmMutation
            {...question}
            route={ratesRoutes.cancelScheduledUserRate}
            call={{ params: { id: user.id } }}
          />
        ) : (
          <ConfirmMutation {...question} route={ratesRoutes.cancelScheduledGlobalRate} call={{}} />
        ))}
    </span>
  )
}
