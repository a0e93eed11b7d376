import { invoiceRoutes } from '@tollgate/contract/invoices/invoices.ts'
import { amendmentRoutes, type Amendment } from '@tollgate/contract/amendments/amendments.ts'
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { Download } from 'lucide-react'
import { urlOf } from '../api/call.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { byAt } from '../format/by-at.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatWords } from '../format/sentences.ts'
import { formatUsdt } from '../format/money.ts'
import { shortenForStaff } from '../format/shorten.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { amendmentWords } from './amendment-words.ts'
import { linkName } from '../ui/link-name.ts'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

interface BillAmendmentsProps {
  readonly bill: BillingPeriod
  readonly isForStaff: boolean
}

/** What was done about a bill, oldest first, with its credit notes as files. Nothing when nothing was done. */
export function BillAmendments({ bill, isForStaff }: BillAmendmentsProps) {
  const found = useApiQuery(amendmentRoutes.listAmendments, { params: { id: bill.id } })
  if (found.error && !found.data)
    return <FetchFailure of={found} title={t('Failed to fetch the amendments')} />
  const shown = found.data?.filter(({ status }) => status !== 'rejected' || isForStaff) ?? []
  return (
    <>
      {bill.withheld !== null && (
        <Notice
          tone="warn"
          title={t('Withheld for review since {at}', { at: formatDateTime(bill.withheld.at) })}
        >
          {bill.withheld.reason === '' ? t('The bill is paid once the review ends.') : bill.withheld.reason}
        </Notice>
      )}
      {shown.length > 0 && (
        <section aria-label={t('Amendments')} className="space-y-1">
          <h3 className="font-medium">{t('What was done about it')}</h3>
          <ul className="divide-y divide-line">
            {shown.map((amendment) => (
              <AmendmentItem key={amendment.id} amendment={amendment} isForStaff={isForStaff} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

interface AmendmentItemProps {
  readonly amendment: Amendment
  readonly isForStaff: boolean
}

function AmendmentItem({ amendment, isForStaff }: AmendmentItemProps) {
  const { id, kind, status, amount, messageIds, usdtAddress, reason, decisionReason } = amendment
  const isNote = kind === 'credit_note' && status === 'done'
  return (
    <li className="space-y-0.5 py-2">
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">
          {amendmentWords[kind].noun}
          {status !== 'done' && (
            <span className={status === 'pending' ? 'text-warn-ink' : 'text-ink-3'}>
              {' · '}
              {status === 'pending' ? t('waits for a second person') : t('rejected')}
            </span>
          )}
        </span>
        {amount !== '' && (
          <span className={status === 'done' ? 'font-medium' : 'text-ink-3'}>−{formatUsdt(amount)}</span>
        )}
      </p>
      {usdtAddress !== '' && (
        <p className="text-ink-2">
          {t('to')} <span className="font-mono text-xs">{shortenForStaff(usdtAddress)}</span>
        </p>
      )}
      {messageIds.length > 0 && (
        <p className="text-ink-2">
          {counted(messageIds.length, '1 message held for review', '{count} messages held for review')}
        </p>
      )}
      {reason !== '' && (
        <p className="break-words text-ink-2">
          <bdi>{formatWords(reason)}</bdi>
        </p>
      )}
      {isForStaff && decisionReason !== '' && (
        <p className="break-words text-ink-3">{t('Decision: {decisionReason}', { decisionReason })}</p>
      )}
      <p className="text-xs text-ink-3">{describeWho(amendment, isForStaff)}</p>
      {isNote && (
        <a
          href={urlOf(invoiceRoutes.getCreditNote, { params: { id } })}
          download
          aria-label={linkName(t('Credit note PDF'), t('Download credit note {id}', { id }))}
          className={buttonClass('secondary', 'sm')}
        >
          <Download size={15} strokeWidth={1.6} aria-hidden="true" />
          {t('Credit note PDF')}
        </a>
      )}
    </li>
  )
}

function describeWho(amendment: Amendment, isForStaff: boolean): string {
  const { requestedBy, requestedAt, decidedBy, decidedAt, status, acceptableFrom } = amendment
  if (!isForStaff) return formatDateTime(decidedAt ?? requestedAt)
  const asked = byAt(requestedBy, requestedAt)
  if (status === 'pending')
    return acceptableFrom === requestedAt
      ? t('asked by {asked}', { asked })
      : t('asked by {asked}; acceptable from {acceptableFrom}', {
          asked,
          acceptableFrom: formatDateTime(acceptableFrom),
        })
  if (requestedBy === '') return t('by the gateway, {at}', { at: formatDateTime(requestedAt) })
  return decidedBy === requestedBy
    ? asked
    : t('{asked}, then {name}, {at}', { asked, name: decidedBy, at: formatDateTime(decidedAt) })
}
