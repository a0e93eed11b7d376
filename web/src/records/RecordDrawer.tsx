import { recordsRoutes, type RecordDetail, type SmsRecord } from '@tollgate/contract/records/records.ts'
import { FileText, Link2 } from 'lucide-react'
import { Link } from '@tanstack/react-router'
import { ApiError, messageOf, requestIdOf } from '../api/api-error.ts'
import { useApiQuery } from '../api/use-api.ts'
import { useFeed } from '../api/use-feed.ts'
import { formatDateTime, formatSecond } from '../format/dates.ts'
import { formatCount, unknownFigure } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { shortenHash } from '../format/shorten.ts'
import { paths } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Pairs } from '../ui/Card.tsx'
import { copyText } from '../ui/copy-text.ts'
import { Drawer, DrawerHead } from '../ui/Drawer.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { StatusIcon } from '../ui/StatusIcon.tsx'
import { LongValue } from '../ui/LongValue.tsx'
import { Notice } from '../ui/Notice.tsx'
import { ErrorState, Skeleton } from '../ui/States.tsx'
import { Timeline } from '../ui/Timeline.tsx'
import type { UrlState } from '../url-state.ts'
import { isTest } from './matches-filters.ts'
import { describePart, describeRate, describeSms, moneyCells, sourceLabel } from './record-facts.tsx'
import { LongMessageParts } from './LongMessageParts.tsx'
import { RecordText } from './RecordText.tsx'
import { SentFields } from './SentFields.tsx'
import type { RecordsSearch } from './search.ts'
import { spanOf, timelineSteps } from './timeline-steps.ts'
import { t } from '../language/t.ts'

interface RecordDrawerProps {
  readonly id: string
  /** The rows on screen, for the keys J and K. */
  readonly rows: readonly SmsRecord[]
  /** How many records the filters match. */
  readonly count: number | undefined
  readonly url: UrlState<RecordsSearch>
}

/** One record: what it costs and earns, and its timeline. */
export function RecordDrawer({ id, rows, count, url }: RecordDrawerProps) {
  const detail = useApiQuery(recordsRoutes.getRecord, { params: { id } })
  useFeed('record-updated', (payload) => {
    if (typeof payload === 'object' && payload !== null && 'id' in payload && payload.id === id)
      void detail.refetch()
  })
  const at = rows.findIndex((row) => row.id === id)
  const step = (by: number) => {
    const row = at === -1 ? undefined : rows[at + by]
    return row && (() => url.set({ open: row.id }))
  }
  // The list already has the title before the details are loaded.
  const known = detail.data ?? rows[at]
  return (
    <Drawer
      isOpen
      onClose={() => url.set({ open: '' })}
      label={known ? t('Record {phoneNumber}', { phoneNumber: formatPhone(known.phoneNumber) }) : t('Record')}
      {...(at !== -1 &&
        count !== undefined && {
          position: t('{place} of {count}', { place: formatCount(at + 1), count: formatCount(count) }),
        })}
      onNext={step(1)}
      onPrevious={step(-1)}
      actions={
        <IconButton
          icon={Link2}
          label={t('Copy link to this record')}
          onClick={() =>
            void copyText(`${location.origin}${paths.records}?open=${encodeURIComponent(id)}`, {
              title: t('Copied to clipboard'),
              text: t('Link copied successfully'),
            })
          }
        />
      }
      foot={
        <Button icon={FileText} onClick={() => url.set({ print: id }, true)}>
          {t('Report')}
        </Button>
      }
    >
      {known && (
        <DrawerHead
          subject={formatPhone(known.phoneNumber)}
          badge={<StatusBadge kind="record" status={known.status} />}
          time={formatDateTime(known.createdAt)}
          cells={detail.data ? moneyCells(detail.data) : []}
        />
      )}
      {detail.data ? (
        <RecordFacts key={id} record={detail.data} />
      ) : detail.error ? (
        <ErrorState
          title={isUnknown(detail.error) ? t('No such record') : t('Failed to fetch the record')}
          reason={
            isUnknown(detail.error)
              ? t('It may have been removed, or it is not yours.')
              : messageOf(detail.error)
          }
          requestId={requestIdOf(detail.error)}
          onRetry={() => void detail.refetch()}
        />
      ) : (
        <div role="status" aria-label={t('Loading record')} className="space-y-3">
          {Array.from({ length: 8 }, (_, index) => (
            <Skeleton key={index} className="w-full" />
          ))}
        </div>
      )}
    </Drawer>
  )
}

function isUnknown(error: Error): boolean {
  return error instanceof ApiError && error.status === 404
}

/** A notice about a hold or a refusal. Clients read it too. */
function ReviewNotice({ record }: { record: RecordDetail }) {
  const last = record.timeline.findLast(({ step }) =>
    (['held', 'released', 'withheld'] as string[]).includes(step),
  )
  if (last?.step === 'withheld')
    return (
      <Notice tone="bad" title={t('Refused after review')}>
        {t('Its amount is not paid.')}
      </Notice>
    )
  return last?.step === 'held' || (last === undefined && record.held === true) ? (
    <Notice tone="warn" title={t('Held for review')}>
      {t('Its amount stays out of the bill until the hold is released.')}
    </Notice>
  ) : null
}

function RecordFacts({ record }: { record: RecordDetail }) {
  const span = spanOf(record.timeline)
  return (
    <div className="space-y-4">
      <ReviewNotice record={record} />
      {isTest(record) && (
        <Notice title={t('Test message')}>
          {t('A person sent it. It earns nothing and counts in no figure of the traffic.')}
        </Notice>
      )}
      <Pairs
        items={[
          { label: t('Range'), value: record.range || unknownFigure },
          {
            label: t('Client'),
            value:
              record.client === '' ? (
                t('Nobody held the number')
              ) : (
                <Link
                  to={paths.records as string}
                  search={{ client: record.client } as never}
                  className="font-medium text-accent-ink hover:underline"
                >
                  {record.client}
                </Link>
              ),
          },
          { label: t('Name'), value: record.name || unknownFigure },
          { label: t('Sender'), value: <span className="phone-number">{formatPhone(record.sender)}</span> },
          {
            label: t('Gateway'),
            value: (
              <span className="inline-flex items-center gap-1.5">
                {record.gateway}
                <span className="rounded-xs border border-line bg-surface-2 px-1 text-xs text-ink-3">
                  {sourceLabel(record)}
                </span>
              </span>
            ),
          },
          { label: t('Rate'), value: describeRate(record) },
          ...(record.smsCount === 1 ? [] : [{ label: t('Counts as'), value: describeSms(record) }]),
          ...(record.part === null ? [] : [{ label: t('Part'), value: describePart(record.part) }]),
          { label: t('LU'), value: <span className="font-mono">{formatSecond(record.lu)}</span> },
          { label: t('No Report'), value: <StatusBadge kind="networkReport" status={record.noReport} /> },
          { label: t('Client Report'), value: <StatusBadge kind="record" status={record.clientReport} /> },
          {
            label: t('Message ID'),
            value: (
              <LongValue
                value={record.messageId}
                short={shortenHash(record.messageId)}
                what={t('Message ID')}
              />
            ),
          },
        ]}
      />
      <RecordText id={record.id} />
      {record.longMessage && <LongMessageParts id={record.id} message={record.longMessage} />}
      {record.sent && <SentFields sent={record.sent} />}
      {record.flags.length > 0 && (
        <ul className="space-y-1 text-warn-ink">
          {record.flags.map((flag) => (
            <li key={flag} className="flex gap-1.5">
              <StatusIcon shape="ring" tone="warn" className="mt-1 shrink-0" />
              <span className="min-w-0 break-words">{t(flag)}</span>
            </li>
          ))}
        </ul>
      )}
      <section className="space-y-3 border-t border-line pt-3.5">
        <header className="flex items-baseline justify-between gap-4">
          <h2 className="text-md">{t('Timeline')}</h2>
          {span !== undefined && (
            <span className="text-ink-3">{t('{duration} end to end', { duration: span })}</span>
          )}
        </header>
        <Timeline steps={timelineSteps(record.timeline)} />
      </section>
    </div>
  )
}
