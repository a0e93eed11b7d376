import { paymentRunRoutes, type RunDetail } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { useState } from 'react'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useUser } from '../api/session.tsx'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatUsdt } from '../format/money.ts'
import { moneyPaths, moneyPollMs } from '../money/queries.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { downloadFrom } from '../ui/save-file.ts'
import { Skeleton } from '../ui/States.tsx'
import { ReasonDialog } from '../billing/payments/ReasonDialog.tsx'
import { RunFiles, runFileUrl, RunLines, RunProgress, transferCount } from './RunParts.tsx'
import { RunHashes } from './RunHashes.tsx'
import { RunSteps } from './RunSteps.tsx'
import { t } from '../language/t.ts'

/** A payment run: its steps, its transfers, and what can be done next. */
export function RunDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const run = useApiQuery(paymentRunRoutes.getRun, { params: { id } }, { refetchIntervalMs: moneyPollMs })
  const { username } = useUser()
  const { data } = run
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Payment run #{id}', { id })}
      description={
        data
          ? t('{amount} in {lineCount}', {
              amount: formatUsdt(data.amount),
              lineCount: transferCount(data.lineCount),
            })
          : undefined
      }
      width="lg"
      isFullOnPhone
      closeLabel={t('Close')}
      consequence={data && consequenceOf(data, username)}
      action={data && <NextStep run={data} viewer={username} />}
    >
      {run.error && !data && <FetchFailure of={run} title={t('Failed to fetch the payment run')} />}
      {run.isPending && <Skeleton className="h-60 w-full" />}
      {data && (
        <div className="space-y-5">
          <RefreshNote of={[run]} />
          <RunProgress run={data} />
          <RunSteps run={data} />
          {data.status === 'exported' && <RunFiles run={data} />}
          <RunLines run={data} />
          {data.status === 'exported' && <RunHashes runId={id} />}
          <EndRun run={data} />
        </div>
      )}
    </Dialog>
  )
}

function consequenceOf({ status, draftedBy }: RunDetail, viewer: string): string {
  if (status === 'draft')
    return draftedBy === viewer
      ? t('You drafted it: a second person approves it.')
      : t('Approve it once you have compared every address and amount.')
  if (status === 'approved') return t('Once it is exported, its transfers are expected on chain.')
  if (status === 'exported') return t('It closes automatically once everything in it is paid.')
  return ''
}

/** The one button of the step that comes next. */
function NextStep({ run: { id, status, draftedBy }, viewer }: { run: RunDetail; viewer: string }) {
  const approve = useApiMutation(paymentRunRoutes.approveRun, {
    refetch: moneyPaths,
    failure: t('Not approved'),
    success: { title: t('Payment run approved'), text: t('It can be exported for the wallet now.') },
  })
  const exportRun = useApiMutation(paymentRunRoutes.exportRun, {
    refetch: moneyPaths,
    failure: t('Not exported'),
    success: { title: t('Ready for the wallet'), text: t('Its file is downloaded: send the transfers.') },
    onSuccess: () => downloadFrom(runFileUrl(id, 'csv')),
  })
  if (status === 'draft' && draftedBy !== viewer)
    return (
      <Button
        tone="primary"
        isBusy={approve.isPending}
        busyLabel={t('Saving...')}
        onClick={() => approve.mutate({ params: { id } })}
      >
        {t('Approve')}
      </Button>
    )
  if (status === 'approved')
    return (
      <Button
        tone="primary"
        isBusy={exportRun.isPending}
        busyLabel={t('Saving...')}
        onClick={() => exportRun.mutate({ params: { id } })}
      >
        {t('Export for wallet')}
      </Button>
    )
  return null
}

const ways = {
  cancel: {
    label: t('Cancel run'),
    title: t('Cancel payment run'),
    description: t('Its bills and payouts can be paid by another run or by hand.'),
    route: paymentRunRoutes.cancelRun,
    success: t('The payment run is cancelled'),
    failure: t('Not cancelled'),
  },
  close: {
    label: t('End run without the rest'),
    title: t('End payment run'),
    description: t(
      'What was not seen may still be on the way: make sure that it was not sent before you pay it again.',
    ),
    route: paymentRunRoutes.closeRun,
    success: t('The payment run is closed'),
    failure: t('Not closed'),
  },
} as const

/** Gives a run up before its file is made, or closes it although something in it is not paid. */
function EndRun({ run: { id, status } }: { run: RunDetail }) {
  const [isAsking, setAsking] = useState(false)
  if (status === 'closed' || status === 'cancelled') return null
  const { label, ...way } = ways[status === 'exported' ? 'close' : 'cancel']
  return (
    <>
      <Button size="sm" tone="ghost" onClick={() => setAsking(true)}>
        {label}
      </Button>
      {isAsking && (
        <ReasonDialog
          {...way}
          title={`${way.title} #${id}`}
          actLabel={way.title}
          tone="danger"
          id={id}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
