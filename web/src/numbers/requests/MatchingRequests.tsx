import { numberChangesRoutes } from '@tollgate/contract/numbers/bulk-changes.ts'
import { useState } from 'react'
import { ConfirmMatching, toastChange, useOfferUndo } from '../../api/matching.tsx'
import { useApiMutation } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../ui/Button.tsx'
import { requestPaths } from '../waiting-requests.ts'
import { processedText, RejectFrame } from './ProcessDialogs.tsx'

interface MatchingRequestsProps {
  readonly filters: object
  /** How many requests the filters match. */
  readonly count: number
  readonly onDone: () => void
}

/** Approves or rejects all requests that the filters match; those that are answered already stay as they are. */
export function MatchingRequests({ filters, count, onDone }: MatchingRequestsProps) {
  const [act, setAct] = useState<'approve' | 'reject'>()
  const offerUndo = useOfferUndo('numbers')
  const close = () => setAct(undefined)
  const words = { refetch: requestPaths, failure: t('Failed to process requests') } as const
  const rejection = useApiMutation(numberChangesRoutes.processMatchingRequests, {
    ...words,
    onSuccess: (answer) => {
      close()
      onDone()
      toastChange(answer, processedText, offerUndo)
    },
  })
  const shown = formatCount(count)
  return (
    <>
      <Button size="sm" onClick={() => setAct('approve')}>
        {t('Approve ({count})', { count: shown })}
      </Button>
      <Button size="sm" onClick={() => setAct('reject')}>
        {t('Reject ({count})', { count: shown })}
      </Button>
      {act === 'approve' && (
        <ConfirmMatching
          {...words}
          route={numberChangesRoutes.processMatchingRequests}
          body={{ filter: filters, count, action: 'approve' }}
          title={t('Approve {count} requests?', { count: shown })}
          confirmLabel={t('Approve')}
          busyLabel={t('Approving...')}
          tone="primary"
          offerUndo={offerUndo}
          doneText={processedText}
          onClose={close}
          onDone={onDone}
        >
          {t('Those that are answered already stay as they are.')}
        </ConfirmMatching>
      )}
      {act === 'reject' && (
        <RejectFrame
          title={t('Reject {count} requests', { count: shown })}
          description={t(
            'All that the filters match and that are not answered yet, also those that are not on screen. It can be undone for a week; who has read the reason has read it.',
          )}
          readerNote={t('Each of them sees this reason.')}
          rejection={rejection}
          onReject={(rejectionReason) =>
            rejection.mutate({ body: { filter: filters, count, action: 'reject', rejectionReason } })
          }
          onClose={close}
        />
      )}
    </>
  )
}
