// The hashes that a wallet gives back, where they have to be brought by hand: first a check, then all lines or none.
import { paymentRunRoutes, type RunHashReport } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { useApiMutation } from '../api/use-api.ts'
import { formatCount } from '../format/money.ts'
import { formatWords } from '../format/sentences.ts'
import { shortenForStaff } from '../format/shorten.ts'
import { moneyPaths, useTerms } from '../money/queries.ts'
import { FileButton } from '../ui/FileButton.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { TextAreaField } from '../ui/Field.tsx'
import type { StatusShape, Tone } from '../ui/StatusIcon.tsx'
import { Notice } from '../ui/Notice.tsx'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

/** Needed without a node, and when the node does not list a transfer. */
export function RunHashes({ runId }: { runId: string }) {
  const terms = useTerms()
  const isChecked = terms.data?.isCheckedOnChain !== false
  return (
    <details open={!isChecked}>
      <summary className="cursor-pointer text-ink-2">
        {isChecked ? t('Enter hashes if a transfer is not found') : t('Enter the transaction hashes')}
      </summary>
      <div className="space-y-3 pt-3">
        {!isChecked && (
          <Notice tone="warn" title={t('Not verified on chain')}>
            {t('No TRON node is set. Check the transfers yourself: each line counts as paid with its hash.')}
          </Notice>
        )}
        <HashesForm runId={runId} />
      </div>
    </details>
  )
}

function HashesForm({ runId }: { runId: string }) {
  const [data, setText] = useState('')
  const [report, setReport] = useState<RunHashReport>()
  const { mutate, isPending, error } = useApiMutation(paymentRunRoutes.importRunHashes, {
    refetch: moneyPaths,
    failure: false,
    onSuccess: setReport,
  })
  const setData = (text: string) => {
    setText(text)
    setReport(undefined)
  }
  const isTried = report !== undefined && report.refusedCount === 0 && !report.isApplied
  return (
    <div className="space-y-3">
      <TextAreaField
        label={t('CSV with the columns reference and transaction_hash')}
        isMono
        rows={4}
        spellCheck={false}
        placeholder={t('reference,transaction_hash\nrun-{runId}-1,e29edd16…', { runId })}
        value={data}
        onChange={(event) => setData(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <FileButton
          label={t('File of transaction hashes')}
          accept=".csv,text/csv"
          size="sm"
          icon={FileUp}
          onFile={(file) => void file.text().then(setData)}
        >
          {t('Choose file')}
        </FileButton>
        <Button
          size="sm"
          tone="primary"
          isDisabled={data.trim() === '' || report?.isApplied === true}
          isBusy={isPending}
          busyLabel={t('Checking...')}
          onClick={() =>
            mutate({ params: { id: runId }, query: { dryRun: isTried ? 'false' : 'true' }, body: { data } })
          }
        >
          {isTried ? t('Apply ({count})', { count: takenCount(report) }) : t('Check hashes')}
        </Button>
      </div>
      <SaveFailure error={error} title={t('Hashes not imported')} />
      {report && <HashReport report={report} />}
    </div>
  )
}

const outcomeBadges: Record<RunHashReport['lines'][number]['outcome'], readonly [Tone, StatusShape, string]> =
  {
    paid: ['ok', 'check', t('Paid')],
    looked_up: ['info', 'half', t('Looked up')],
    skipped: ['idle', 'ring', t('Skipped')],
    refused: ['bad', 'x', t('Refused')],
  }

const takenCount = ({ lines }: RunHashReport): number =>
  lines.filter(({ outcome }) => outcome === 'paid' || outcome === 'looked_up').length

function HashReport({ report }: { report: RunHashReport }) {
  const taken = takenCount(report)
  return (
    <section aria-label={t('What happens to each line')} className="space-y-3">
      {report.refusedCount > 0 ? (
        <Notice
          tone="bad"
          title={t('{refusedCount} of {count} lines refused', {
            refusedCount: formatCount(report.refusedCount),
            count: formatCount(report.lines.length),
          })}
          isAlert
        >
          {t('Nothing was changed. Fix them and check again.')}
        </Notice>
      ) : report.isApplied ? (
        <Notice tone="ok" title={counted(taken, '1 hash taken', '{count} hashes taken')} isAlert />
      ) : (
        <Notice
          title={
            taken === report.lines.length
              ? t('All lines can be taken')
              : t('{count} of {lineCount} lines can be taken', {
                  count: formatCount(taken),
                  lineCount: formatCount(report.lines.length),
                })
          }
          isAlert
        >
          {t('Nothing was changed yet. Apply takes the hashes.')}
        </Notice>
      )}
      <ul className="max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line">
        {report.lines.map((line) => {
          const [tone, icon, word] = outcomeBadges[line.outcome]
          return (
            <li key={line.line} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
              <span className="text-ink-3">{t('line {line}', { line: line.line })}</span>
              <span className="font-mono">{line.reference}</span>
              <span className="font-mono text-xs text-ink-3">{shortenForStaff(line.transactionHash)}</span>
              <span className="ms-auto inline-flex flex-wrap items-center gap-2">
                {line.message !== '' && (
                  <span className="text-xs text-ink-2">{formatWords(line.words ?? line.message)}</span>
                )}
                <Badge tone={tone} icon={icon}>
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
