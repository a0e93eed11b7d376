// Many payments at once: a file for the wallet, and its hashes back. First a check, then all lines or none.
import { treasuryRoutes, type PaymentBatchReport, type PaymentBatchRow } from '@tollgate/contract/treasury.ts'
import { Download, FileUp } from 'lucide-react'
import { useRef, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { shortenForStaff } from '../../format/shorten.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { moneyPaths } from '../../money/queries.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextAreaField } from '../../ui/Field.tsx'
import type { LampShape, Tone } from '../../ui/Lamp.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { FetchFailure } from '../../api/FetchFailure.tsx'

/** Pays all ready bills and payouts through a wallet that takes a file. */
export function BatchDialog({ onClose }: { onClose: () => void }) {
  const [data, setText] = useState('')
  const [report, setReport] = useState<PaymentBatchReport>()
  const { mutate, isPending, error } = useApiMutation(treasuryRoutes.importBatch, {
    refetch: moneyPaths,
    failure: 'Hashes not imported',
    onSuccess: setReport,
  })
  const setData = (text: string) => {
    setText(text)
    setReport(undefined)
  }
  const isTried = report !== undefined && report.refusedCount === 0 && !report.isApplied
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Pay in Batch"
      description="Take the file to the wallet, then bring the hashes of its transfers back."
      width="lg"
      isFullOnPhone
      isDirty={data !== '' && report?.isApplied !== true}
      closeLabel={report?.isApplied === true ? 'Close' : 'Cancel'}
      consequence="All lines are taken, or none. Each hash pays one bill or payout. Addresses are not compared with look-alikes here."
      action={
        <Button
          tone="primary"
          isDisabled={data.trim() === '' || report?.isApplied === true}
          isBusy={isPending}
          busyLabel="Checking..."
          onClick={() => mutate({ query: { dryRun: isTried ? 'false' : 'true' }, body: { data } })}
        >
          {isTried ? `Apply (${report.lines.length})` : 'Check hashes'}
        </Button>
      }
    >
      <div className="space-y-5">
        <WalletFile />
        <HashesInput data={data} onChange={setData} />
        <SaveFailure error={error} title="Hashes not imported" />
        {report && <BatchReportView report={report} />}
      </div>
    </Dialog>
  )
}

const paymentCount = (count: number) => (count === 1 ? '1 payment' : `${formatCount(count)} payments`)

/** What the file for the wallet contains, and what is left out and why. */
function WalletFile() {
  const batch = useApiQuery(treasuryRoutes.listBatch)
  if (batch.error && !batch.data)
    return <FetchFailure of={batch} title="Failed to fetch what waits for payment" />
  if (!batch.data) return <Skeleton className="h-16 w-full" />
  const { rows, readyCount, readyAmount } = batch.data
  const leftOut = rows.filter(({ problem }) => problem !== '')
  return (
    <section className="space-y-2">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="font-medium">
          1.{' '}
          {readyCount === 0
            ? 'Nothing can be paid now'
            : `${paymentCount(readyCount)}, ${formatUsdt(readyAmount)}`}
        </h3>
        {readyCount > 0 && (
          <a href={urlOf(treasuryRoutes.exportBatch)} download className={buttonClass()}>
            <Download size={16} strokeWidth={1.6} aria-hidden="true" />
            Export for wallet
          </a>
        )}
      </div>
      {leftOut.length > 0 && <LeftOut rows={leftOut} />}
    </section>
  )
}

function LeftOut({ rows }: { rows: readonly PaymentBatchRow[] }) {
  return (
    <details>
      <summary className="cursor-pointer text-ink-2">{formatCount(rows.length)} are left out</summary>
      <ul className="max-h-40 space-y-1 overflow-y-auto pt-2">
        {rows.map((row) => (
          <li key={row.reference} className="flex flex-wrap gap-x-3 text-xs">
            <span className="font-mono">{row.reference}</span>
            <span>{row.userName}</span>
            <span>{formatUsdt(row.amount)}</span>
            <span className="text-ink-3">{row.problem}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

interface HashesInputProps {
  readonly data: string
  readonly onChange: (text: string) => void
}

function HashesInput({ data, onChange }: HashesInputProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <section className="space-y-2">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="font-medium">2. Transaction hashes</h3>
        <Button icon={FileUp} onClick={() => input.current?.click()}>
          Choose file
        </Button>
        <input
          ref={input}
          type="file"
          accept=".csv,text/csv"
          aria-label="File of transaction hashes"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => {
            const [file] = event.target.files ?? []
            if (file) void file.text().then(onChange)
            // Reset, so that the same file can be chosen again after a change.
            event.target.value = ''
          }}
        />
      </div>
      <TextAreaField
        label="CSV with the columns reference and transaction_hash"
        isMono
        rows={6}
        spellCheck={false}
        placeholder={'reference,transaction_hash\n3-17,e29edd16…\npayout-5,1a12bf81…'}
        value={data}
        onChange={(event) => onChange(event.target.value)}
      />
    </section>
  )
}

const outcomeBadges: Record<
  PaymentBatchReport['lines'][number]['outcome'],
  readonly [Tone, LampShape, string]
> = {
  paid: ['ok', 'check', 'Paid'],
  confirming: ['info', 'half', 'Confirming'],
  awaits_approval: ['warn', 'ring', 'Awaits approval'],
  refused: ['bad', 'x', 'Refused'],
}

function BatchReportView({ report }: { report: PaymentBatchReport }) {
  return (
    <section aria-label="What becomes of each line" className="space-y-3">
      {report.refusedCount > 0 ? (
        <Notice tone="bad" title={`${formatCount(report.refusedCount)} lines are refused`} isAlert>
          Nothing was changed. Mend them and check again.
        </Notice>
      ) : report.isApplied ? (
        <Notice tone="ok" title={`${paymentCount(report.lines.length)} written down`} isAlert />
      ) : (
        <Notice title="All lines can be taken" isAlert>
          Nothing was changed yet. Apply writes the payments down.
        </Notice>
      )}
      <ul className="max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line">
        {report.lines.map((line) => {
          const [tone, lamp, word] = outcomeBadges[line.outcome]
          return (
            <li key={line.line} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
              <span className="text-ink-3">line {line.line}</span>
              <span className="font-mono">{line.reference}</span>
              <span className="font-mono text-xs text-ink-3">{shortenForStaff(line.transactionHash)}</span>
              <span className="ml-auto inline-flex flex-wrap items-center gap-2">
                {line.message !== '' && <span className="text-xs text-ink-2">{line.message}</span>}
                <Badge tone={tone} lamp={lamp}>
                  {word}
                </Badge>
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
