// What carriers do not pay for: files of theirs, and what was found for each.
import { disputeRoutes, type Dispute, type DisputeReport } from '@tollgate/contract/integrity/disputes.ts'
import { FileUp, Scale } from 'lucide-react'
import { useState } from 'react'
import { tableOf } from '../api/FetchFailure.tsx'
import { useApiMutation, useApiPages } from '../api/use-api.ts'
import { counted } from '../format/counted.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { t } from '../language/t.ts'
import { Amount } from '../money/cells.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { EmptyState } from '../ui/States.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { CompareCountsDialog } from './CompareCountsDialog.tsx'
import { DisputeDrawer, disputePaths } from './DisputeDrawer.tsx'
import { FaultyLines, UploadDialog } from './UploadDialog.tsx'

export function DisputesView() {
  const [opened, setOpened] = useState<'import' | 'counts'>()
  const close = () => setOpened(undefined)
  const [openId, setOpenId] = useState<string>()
  const list = useApiPages(disputeRoutes.listDisputes, {}, { refetchIntervalMs: moneyPollMs })
  const open = list.rows?.find(({ id }) => id === openId)
  return (
    <>
      <DataTable<Dispute>
        label={t('Disputes of carriers')}
        title={t('Disputes of carriers')}
        actions={
          <>
            <Button icon={Scale} onClick={() => setOpened('counts')}>
              {t('Compare counts')}
            </Button>
            <Button icon={FileUp} onClick={() => setOpened('import')}>
              {t('Import dispute')}
            </Button>
          </>
        }
        columns={columns}
        {...tableOf(list, t('Failed to fetch the disputes'))}
        rowId={({ id }) => id}
        rowLabel={({ id, carrier }) => t('Dispute {id} of {carrier}', { id, carrier })}
        loadingLabel={t('Loading the disputes...')}
        openId={openId}
        onOpen={({ id }) => setOpenId(id)}
        empty={
          <EmptyState title={t('No carrier disputes anything')}>
            {t('Import the file of a carrier that does not pay for messages. They are looked up here.')}
          </EmptyState>
        }
      />
      {opened === 'import' && <ImportDisputeDialog onClose={close} />}
      {opened === 'counts' && <CompareCountsDialog onClose={close} />}
      {open && <DisputeDrawer dispute={open} onClose={() => setOpenId(undefined)} />}
    </>
  )
}

const columns: readonly Column<Dispute>[] = [
  {
    ...subject,
    id: 'carrier',
    header: t('Carrier'),
    cell: ({ carrier }) => (
      <span className="block max-w-60 truncate" title={carrier}>
        {carrier}
      </span>
    ),
  },
  {
    id: 'made',
    stackUnder: 'carrier',
    header: t('Imported'),
    cell: ({ madeAt, madeBy }) => t('{time} by {name}', { time: formatDateTime(madeAt), name: madeBy }),
  },
  {
    id: 'lines',
    header: t('Lines'),
    align: 'right',
    cell: ({ lineCount, noneCount, isMatched }) => (
      <span className="block">
        {formatCount(lineCount)}
        <span className="block text-xs text-ink-3">
          {isMatched
            ? t('nothing found: {count}', { count: formatCount(noneCount) })
            : t('Looking for messages...')}
        </span>
      </span>
    ),
  },
  {
    id: 'messages',
    header: t('Messages'),
    align: 'right',
    cell: ({ messageCount, claimedCount, twiceCount }) => (
      <span className="block">
        {t('{found} of {claimed}', { found: formatCount(messageCount), claimed: formatCount(claimedCount) })}
        {twiceCount > 0 && (
          <span className="block text-xs text-ink-3">
            {t('disputed before: {count}', { count: formatCount(twiceCount) })}
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'amount',
    header: t('Amount'),
    align: 'right',
    card: 'end',
    cell: ({ amountUsd }) => <Amount value={amountUsd} />,
  },
]

function ImportDisputeDialog({ onClose }: { onClose: () => void }) {
  const [carrier, setCarrier] = useState('')
  const [report, setReport] = useState<DisputeReport>()
  const { mutate, isPending, error } = useApiMutation(disputeRoutes.importDispute, {
    refetch: disputePaths,
    failure: false,
    onSuccess: (answer) => (answer.disputeId === null ? setReport(answer) : onClose()),
  })
  const forget = () => setReport(undefined)
  return (
    <UploadDialog
      title={t('Import dispute')}
      description={t(
        'From a .csv, .xlsx or .xls file, or pasted below. Needed are the columns number and from.',
      )}
      placeholder={
        'number,from,to,sender,count,amount\n449098790142,2026-11-16,2026-11-17,447700900318,40,2.00'
      }
      fields={
        <TextField
          label={t('Carrier')}
          required
          value={carrier}
          maxLength={100}
          onChange={(event) => {
            setCarrier(event.target.value)
            forget()
          }}
        />
      }
      isReady={carrier.trim() !== ''}
      report={report && <Report report={report} />}
      isChecked={report?.faultCount === 0}
      isBusy={isPending}
      error={error}
      failure={t('Not imported')}
      takeLabel={t('Import')}
      consequence={t('Messages are looked up after the import. Times without a zone are in UTC.')}
      onSend={(body, isTrial) =>
        mutate({ query: { carrier: carrier.trim(), dryRun: isTrial ? 'true' : 'false' }, body })
      }
      onChanged={forget}
      onClose={onClose}
    />
  )
}

function Report({ report }: { report: DisputeReport }) {
  const { lineCount, faultCount, faults, unknownNumberCount } = report
  if (faultCount === 0)
    return (
      <Notice
        tone={unknownNumberCount === 0 ? 'ok' : 'warn'}
        title={counted(lineCount, '1 line can be imported', '{count} lines can be imported')}
        isAlert
      >
        {unknownNumberCount === 0
          ? t('All are of numbers that this gateway has or had.')
          : t('Of numbers that this gateway never had: {count}. Nothing will be found for them.', {
              count: formatCount(unknownNumberCount),
            })}
      </Notice>
    )
  return (
    <FaultyLines
      lineCount={lineCount}
      faultCount={faultCount}
      faults={faults.map(({ line, number: what, message, words = message }) => ({ line, what, words }))}
    />
  )
}
