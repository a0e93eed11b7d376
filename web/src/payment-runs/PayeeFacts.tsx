import type { DraftLine } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatDay } from '../format/dates.ts'
import { formatUsdt } from '../format/money.ts'
import { formatSentence } from '../format/sentences.ts'
import { groupByFour } from '../format/shorten.ts'
import { Amount } from '../money/cells.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { addressCopied } from '../money/cells.tsx'
import { t } from '../language/t.ts'

type Payee = Pick<
  DraftLine,
  'userName' | 'amount' | 'usdtAddress' | 'addressSince' | 'debts' | 'warningWords'
>

/** One transfer of a run: who, how much, the whole address, what it pays, and what to look at. */
export function PayeeFacts({ payee, children }: { payee: Payee; children?: ReactNode }) {
  return (
    <div className="min-w-0 grow space-y-1">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className="font-medium break-all">{payee.userName}</span>
        <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
          {children}
          <span className="font-semibold">
            <Amount value={payee.amount} />
          </span>
        </span>
      </div>
      <p className="flex items-center gap-1">
        {/* Whole, because forged addresses match at both ends. */}
        <span className="font-mono text-xs leading-5 break-words">{groupByFour(payee.usdtAddress)}</span>
        <CopyButton
          value={payee.usdtAddress}
          what={t('address of {userName}', { userName: payee.userName })}
          words={addressCopied}
        />
      </p>
      <p className="text-xs text-ink-3">
        {payee.debts
          .map(({ reference, dueAmount }) => `${labelOf(reference)}: ${formatUsdt(dueAmount)}`)
          .join(', ')}
        {payee.addressSince !== null &&
          ` · ${t('address known since {day}', { day: formatDay(payee.addressSince) })}`}
      </p>
      {payee.warningWords.length > 0 && (
        <ul aria-label={t('Warnings on {userName}', { userName: payee.userName })} className="space-y-0.5">
          {payee.warningWords.map(formatSentence).map((warning) => (
            <li key={warning} className="flex gap-1.5 text-xs text-warn-ink">
              <TriangleAlert size={14} strokeWidth={1.6} aria-hidden="true" className="mt-px shrink-0" />
              <span className="min-w-0 break-words">{warning}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** 'bill 3-17', 'payout 5'. */
export const labelOf = (reference: string): string =>
  reference.startsWith('payout-')
    ? t('payout {id}', { id: reference.slice('payout-'.length) })
    : t('bill {reference}', { reference })
