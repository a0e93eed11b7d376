import { ratesRoutes, type ScheduledRate } from '@tollgate/contract/rates.ts'
import { useState } from 'react'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { formatDateTime } from '../format/dates.ts'
import { formatRate } from '../format/money.ts'
import { Button } from '../ui/Button.tsx'
import { ratePaths } from './queries.ts'

interface ScheduledRateNoteProps {
  readonly scheduled: ScheduledRate
  /** Whose own rate it is; undefined: the global one. */
  readonly user?: { readonly id: number; readonly username: string }
}

const rateWords = ({ rate }: ScheduledRate) => (rate === '' ? 'the global rate' : formatRate(rate))

/** The rate that starts later, and the way to cancel it. */
export function ScheduledRateNote({ scheduled, user }: ScheduledRateNoteProps) {
  const [isAsking, setAsking] = useState(false)
  const question = {
    onClose: () => setAsking(false),
    title: `Cancel the rate that starts later${user ? ` for ${user.username}` : ''}?`,
    refetch: ratePaths,
    success: 'The rate will not start',
    failure: 'Failed to cancel the rate',
    confirmLabel: 'Cancel rate',
    busyLabel: 'Cancelling...',
    children: `The present rate stays. ${rateWords(scheduled)} was to start on ${formatDateTime(scheduled.startsAt)}.`,
  } as const
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <span>
        {rateWords(scheduled)} from {formatDateTime(scheduled.startsAt)}, set by {scheduled.setBy}
      </span>
      <Button
        size="sm"
        aria-label={`Cancel scheduled rate${user ? ` of ${user.username}` : ''}`}
        onClick={() => setAsking(true)}
      >
        Cancel
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
