import { ExternalLink } from 'lucide-react'
import type { PaymentVerification } from '@tollgate/contract/vocabulary.ts'
import { shortenForStaff, shortenHash } from '../../format/shorten.ts'
import { StatusWord } from '../../ui/Badge.tsx'
import { LongValue } from '../../ui/LongValue.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { useTerms } from '../../money/queries.ts'
import { formatWords } from '../../format/sentences.ts'
import { t } from '../../language/t.ts'

interface TransactionHashProps {
  readonly hash: string
  /** Spec §2: 12 and 8 characters on the client's page, 8 and 6 on Payment Management. */
  readonly isForStaff?: boolean
  readonly verification?: PaymentVerification | null
}

/** A shortened transaction hash with a copy button and a link to the chain's explorer. */
export function TransactionHash({ hash, isForStaff = false, verification = null }: TransactionHashProps) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      <span className="inline-flex items-center">
        <LongValue
          value={hash}
          short={isForStaff ? shortenForStaff(hash) : shortenHash(hash)}
          what={t('transaction hash')}
        />
        <ExplorerLink hash={hash} />
      </span>
      {verification !== null && <StatusWord kind="paymentCheck" status={verification} />}
    </span>
  )
}

/** Opens the transaction in the chain's public explorer. Nothing if the explorer is not known. */
export function ExplorerLink({ hash }: { hash: string }) {
  const { data } = useTerms()
  if (data === undefined || data.explorerUrl === '') return null
  const label = t('Open transaction {hash} in the explorer', { hash: shortenForStaff(hash) })
  return (
    <Tooltip text={label}>
      <a
        href={`${data.explorerUrl}${hash}`}
        target="_blank"
        rel="noreferrer"
        aria-label={label}
        className="inline-grid size-7 shrink-0 place-items-center rounded-md text-ink-3 hover:bg-surface-3 hover:text-ink pointer-coarse:size-11"
      >
        <ExternalLink size={15} strokeWidth={1.6} aria-hidden="true" />
      </a>
    </Tooltip>
  )
}

/** The result of the check on the chain, with its note in full. */
export function CheckNote({ verification, note }: { verification: PaymentVerification; note: string }) {
  return (
    <span className="inline-flex flex-col items-end gap-0.5">
      <StatusWord kind="paymentCheck" status={verification} />
      {note !== '' && <span className="text-xs text-ink-3">{formatWords(note)}</span>}
    </span>
  )
}
