import { useState } from 'react'
import { formatCount } from '../format/money.ts'
import { t } from '../language/t.ts'
import { accountStatusLabel, SetStatusMenu } from '../ui/account-status.tsx'
import { ConfirmMatching, type MatchingRoute, type OfferUndo } from './matching.tsx'

interface SetMatchingStatusProps<R extends MatchingRoute> {
  readonly route: R
  readonly filters: object
  /** How many rows the filters match. */
  readonly count: number
  /** '{count} numbers' of a count. */
  readonly countOf: (count: string) => string
  readonly doneText: (changedCount: number) => string
  /** What a status other than active does. */
  readonly effect: string
  readonly refetch: readonly string[]
  readonly failure: string
  readonly offerUndo: OfferUndo
  readonly onDone: () => void
}

/** In the selection bar: sets one status on all rows that the filters match. */
export function SetMatchingStatus<R extends MatchingRoute>({
  filters,
  count,
  countOf,
  effect,
  ...act
}: SetMatchingStatusProps<R>) {
  const [status, setStatus] = useState<'active' | 'inactive' | 'suspended'>()
  const rows = countOf(formatCount(count))
  return (
    <>
      <SetStatusMenu onSet={setStatus} />
      {status !== undefined && (
        <ConfirmMatching
          {...act}
          body={{ filter: filters, count, status }}
          title={t('Set {numbers} to {status}?', { numbers: rows, status: accountStatusLabel(status) })}
          confirmLabel={t('Set {numbers}', { numbers: rows })}
          busyLabel={t('Updating...')}
          tone={status === 'active' ? 'primary' : 'danger'}
          onClose={() => setStatus(undefined)}
        >
          {status !== 'active' && effect}
        </ConfirmMatching>
      )}
    </>
  )
}
