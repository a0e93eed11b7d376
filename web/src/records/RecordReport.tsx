import { recordsRoutes, type RecordDetail } from '@tollgate/contract/records/records.ts'
import { Printer } from 'lucide-react'
import { useApiQuery } from '../api/use-api.ts'
import { formatDateTime, formatEdge, formatMillisecond } from '../format/dates.ts'
import { formatShekels, formatUsd, unknownFigure } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { formatSentences } from '../format/sentences.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { statusLook } from '../ui/status.ts'
import { useNow } from '../ui/use-now.ts'
import { PrintSheet } from '../ui/PrintSheet.tsx'
import { describePart, describeRate, describeSettlement, describeSms, sourceLabel } from './record-facts.tsx'
import { formatSpan, spanOf } from './timeline-steps.ts'
import { Unfetched } from '../api/FetchFailure.tsx'
import { zoneName } from '../language/reader.ts'
import { t } from '../language/t.ts'

/** Spec §2, Report: one record with its whole timeline, for printing. */
export function RecordReport({ id, onClose }: { id: string; onClose: () => void }) {
  const detail = useApiQuery(recordsRoutes.getRecord, { params: { id } })
  const record = detail.data
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('SMS Record Report')}
      description={record && <span className="phone-number">{formatPhone(record.phoneNumber)}</span>}
      width="lg"
      closeLabel={t('Close')}
      isFullOnPhone
      action={
        <Button tone="primary" icon={Printer} isDisabled={!record} onClick={() => window.print()}>
          {t('Print')}
        </Button>
      }
    >
      {record ? (
        <>
          <ReportSheet record={record} />
          <PrintSheet title={t('SMS Record Report')}>
            <ReportSheet record={record} />
          </PrintSheet>
        </>
      ) : (
        <Unfetched of={detail} title={t('Failed to fetch the record')} className="h-64 w-full" />
      )}
    </Dialog>
  )
}

function ReportSheet({ record }: { record: RecordDetail }) {
  const now = useNow(60_000)
  const span = spanOf(record.timeline)
  const facts: readonly (readonly [string, string])[] = [
    [t('Date & Time'), `${formatDateTime(record.createdAt)} ${zoneName()}`],
    [t('Message ID'), record.messageId],
    [t('Number'), formatPhone(record.phoneNumber)],
    [t('Name'), record.name || unknownFigure],
    [t('Sender'), formatPhone(record.sender)],
    [t('Range'), record.range || unknownFigure],
    [t('Client'), record.client || t('Nobody held the number')],
    [t('Gateway'), `${record.gateway} (${sourceLabel(record)})`],
    [t('Status'), statusLook('record', record.status).label],
    [t('No Report'), statusLook('networkReport', record.noReport).label],
    [t('Client Report'), statusLook('record', record.clientReport).label],
    [t('Bill'), formatShekels(record.bill)],
    [t('Client earns'), formatUsd(record.amountUsd)],
    [t('Rate'), describeRate(record)],
    ...(record.smsCount === 1 ? [] : [[t('Counts as'), describeSms(record)] as const]),
    ...(record.part === null ? [] : [[t('Part'), describePart(record.part)] as const]),
    [t('Settles in'), describeSettlement(record)],
    [t('Last update'), `${formatDateTime(record.lu)} ${zoneName()}`],
  ]
  return (
    <div className="space-y-5">
      <dl className="grid gap-x-8 gap-y-1 sm:grid-cols-2 print:grid-cols-2">
        {facts.map(([label, value]) => (
          // A value without room beside its label goes below it as a whole: no date or id is read from two lines.
          <div
            key={label}
            className="flex break-inside-avoid flex-wrap justify-between gap-x-4 border-b border-line py-1"
          >
            <dt className="shrink-0 text-ink-3">{label}</dt>
            <dd className="ms-auto text-end font-medium tracking-[-0.01em] wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      <table className="w-full text-start">
        <caption className="pb-2 text-start font-semibold">
          {span === undefined ? t('Timeline') : t('Timeline, {duration} end to end', { duration: span })}
        </caption>
        <thead>
          <tr className="text-xs text-ink-3">
            <th scope="col" className="border-b border-line py-1 pe-4 text-start font-medium">
              {t('Time')}
            </th>
            <th scope="col" className="border-b border-line py-1 pe-4 text-start font-medium">
              {t('Step')}
            </th>
            <th scope="col" className="border-b border-line py-1 text-end font-medium">
              {t('Since')}
            </th>
          </tr>
        </thead>
        <tbody>
          {record.timeline.map(({ at, title, detailWords }, index) => {
            const before = record.timeline[index - 1]
            return (
              // Two steps may have the same millisecond, so the index is the key.
              <tr key={index} className="align-top">
                <td className="border-b border-line py-1 pe-4 font-mono whitespace-nowrap">
                  {formatMillisecond(at)}
                </td>
                <td className="border-b border-line py-1 pe-4">
                  {t(title)}
                  {detailWords.length > 0 && (
                    <span className="block text-xs text-ink-3">{formatSentences(detailWords)}</span>
                  )}
                </td>
                <td className="border-b border-line py-1 text-end whitespace-nowrap">
                  {before && `+${formatSpan(Date.parse(at) - Date.parse(before.at))}`}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <p className="text-xs text-ink-3">
        {t('As of {now} UTC. All times {zoneName}.', { now: formatEdge(now), zoneName: zoneName() })}
      </p>
    </div>
  )
}
