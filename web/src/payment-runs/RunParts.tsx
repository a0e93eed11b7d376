// The parts of a payment run's dialog: its progress, its files, its transfers.
import { paymentRunRoutes, type RunDetail } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { Download } from 'lucide-react'
import { urlOf } from '../api/call.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { Progress } from '../ui/Progress.tsx'
import { ExplorerLink } from '../billing/payments/TransactionHash.tsx'
import { PayeeFacts } from './PayeeFacts.tsx'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

/** '1 transfer', '12 transfers'. */
export const transferCount = (count: number) => counted(count, '1 transfer', '{count} transfers')

export function RunProgress({ run: { status, lineCount, paidCount, paidAmount } }: { run: RunDetail }) {
  return (
    <section aria-label={t('Progress')} className="space-y-1.5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <StatusBadge kind="paymentRun" status={status} />
        <span className="text-ink-3">
          {t('{paidCount} of {lineCount} paid, {paidAmount}', {
            paidCount: formatCount(paidCount),
            lineCount: transferCount(lineCount),
            paidAmount: formatUsdt(paidAmount),
          })}
        </span>
      </div>
      <Progress label={t('Transfers paid')} share={lineCount === 0 ? 0 : paidCount / lineCount} />
    </section>
  )
}

/** The transfers of a run that were not seen yet, as a file for the wallet. */
export const runFileUrl = (id: string, form: 'csv' | 'multisend') =>
  urlOf(paymentRunRoutes.getRunFile, { params: { id }, query: { form } })

export function RunFiles({ run: { id } }: { run: RunDetail }) {
  return (
    <section aria-label={t('Files for the wallet')} className="flex flex-wrap items-center gap-2">
      <a href={runFileUrl(id, 'csv')} download className={buttonClass()}>
        <Download size={16} strokeWidth={1.6} aria-hidden="true" />
        {t('CSV for wallet')}
      </a>
      <a href={runFileUrl(id, 'multisend')} download className={buttonClass()}>
        <Download size={16} strokeWidth={1.6} aria-hidden="true" />
        {t('Multi-send file')}
      </a>
      <p className="basis-full text-xs text-ink-3">
        {t('Both have the transfers that were not seen yet. Send one of them, and once.')}
      </p>
    </section>
  )
}

export function RunLines({ run }: { run: RunDetail }) {
  return (
    <ul aria-label={t('Transfers of the run')} className="divide-y divide-line rounded-lg border border-line">
      {run.lines.map((line) => (
        <li key={line.id} className="px-3 py-2.5">
          <PayeeFacts payee={run.status === 'closed' ? { ...line, warningWords: [] } : line}>
            {line.transactionHash !== '' && <ExplorerLink hash={line.transactionHash} />}
            {/* Before the wallet has it nothing can have been seen. */}
            {run.exportedAt !== null && <StatusBadge kind="runLine" status={line.state} />}
          </PayeeFacts>
        </li>
      ))}
    </ul>
  )
}
