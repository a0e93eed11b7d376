import type { SmsRecord } from '@tollgate/contract/records/records.ts'
import { FileText, PanelRight } from 'lucide-react'
import { formatDay, formatMinute, formatSecond, formatWeekday } from '../format/dates.ts'
import { formatAmountFigure, formatShekels, unknownFigure } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import type { Column } from '../ui/table/column.ts'
import { t } from '../language/t.ts'
import { TestMark } from './TestMark.tsx'

/**
 * dd/mm/yyyy | HH:mm with a short weekday (Spec §2). The parts that most rows share are quiet; a phone hides the year.
 */
function DateTime({ at }: { at: string }) {
  const day = formatDay(at)
  return (
    <time dateTime={at}>
      {day.slice(0, 5)}
      <span className="max-sm:hidden">{day.slice(5)}</span>{' '}
      <span className="text-ink-mute max-sm:hidden">|</span> {formatMinute(at)}{' '}
      <span className="text-ink-3">{formatWeekday(at)}</span>
    </time>
  )
}

/** The last update: only the time if it is on the day of receipt. */
function LastUpdate({ record: { lu, createdAt } }: { record: SmsRecord }) {
  const isSameDay = formatDay(lu) === formatDay(createdAt)
  return (
    <time dateTime={lu} className="font-mono text-ink-3">
      {isSameDay ? formatSecond(lu) : `${formatDay(lu)} ${formatMinute(lu)}`}
    </time>
  )
}

interface RecordHandlers {
  readonly onDetails: (record: SmsRecord) => void
  readonly onReport: (record: SmsRecord) => void
  /** Whether the earnings are shown from the start, as a client wants them. */
  readonly isEarnedShown: boolean
  /** All rows have the same client, who need not stand in each. */
  readonly isOfOneClient?: boolean
  /** The clients that nothing can be handed on to. */
  readonly withoutReceiver?: readonly string[] | undefined
}

/** The columns of Spec §2, in that order, with the sender beside the number. */
export function recordColumns({
  onDetails,
  onReport,
  isEarnedShown,
  isOfOneClient = false,
  withoutReceiver = [],
}: RecordHandlers): readonly Column<SmsRecord>[] {
  return [
    {
      id: 'createdAt',
      header: t('Date & Time'),
      sortBy: 'createdAt',
      card: 'fact',
      isHideable: false,
      cell: ({ createdAt }) => <DateTime at={createdAt} />,
    },
    {
      id: 'range',
      stackUnder: 'phoneNumber',
      header: t('Range'),
      card: 'fact',
      cell: ({ range }) => range || unknownFigure,
    },
    {
      id: 'phoneNumber',
      header: t('Number'),
      card: 'title',
      isHideable: false,
      cell: (record) => (
        <span className="inline-flex items-center gap-1.5">
          <span className="phone-number">{formatPhone(record.phoneNumber)}</span>
          <TestMark record={record} />
        </span>
      ),
    },
    {
      id: 'sender',
      stackUnder: 'phoneNumber',
      header: t('Sender'),
      card: 'fact',
      cell: ({ sender }) => <span className="phone-number">{formatPhone(sender) || unknownFigure}</span>,
    },
    {
      id: 'lu',
      stackUnder: 'createdAt',
      header: t('LU'),
      meaning: t('Last update'),
      card: 'hidden',
      cell: (record) => <LastUpdate record={record} />,
    },
    {
      id: 'client',
      stackUnder: 'bill',
      header: t('Client'),
      card: isOfOneClient ? 'hidden' : 'fact',
      isHiddenByDefault: isOfOneClient,
      cell: ({ client }) => client || unknownFigure,
    },
    { id: 'bill', header: t('Bill'), align: 'right', card: 'end', cell: ({ bill }) => formatShekels(bill) },
    {
      id: 'earned',
      stackUnder: 'bill',
      header: t('Earned'),
      align: 'right',
      isHiddenByDefault: !isEarnedShown,
      cell: ({ amountUsd }) => formatAmountFigure(amountUsd),
    },
    {
      id: 'gateway',
      stackUnder: 'createdAt',
      header: t('Gateway'),
      card: 'fact',
      cell: ({ gateway }) => <span className="text-ink-2">{gateway}</span>,
    },
    {
      id: 'noReport',
      header: t('No Report'),
      cell: ({ noReport }) => <StatusBadge kind="networkReport" status={noReport} />,
    },
    {
      id: 'clientReport',
      stackUnder: 'noReport',
      header: t('Client Report'),
      hasOwnLine: true,
      cell: ({ clientReport, client }) => (
        <span className="inline-flex flex-wrap items-center gap-x-1.5">
          <StatusBadge kind="record" status={clientReport} />
          {clientReport === 'pending' && withoutReceiver.includes(client) && (
            <span
              className="text-xs text-ink-3"
              title={t('No receiver: the client has neither a bind nor a webhook')}
            >
              {t('No receiver')}
            </span>
          )}
        </span>
      ),
    },
    {
      id: 'actions',
      header: t('Actions'),
      align: 'right',
      isHideable: false,
      // On a phone the whole card opens the details, which contain the report.
      card: 'hidden',
      isOnPointer: true,
      cell: (record) => {
        const subject = `${formatPhone(record.phoneNumber)}, ${formatSecond(record.createdAt)}`
        return (
          <span className="inline-flex gap-0.5">
            <IconButton
              icon={PanelRight}
              label={t('Details of {subject}', { subject })}
              onClick={() => onDetails(record)}
            />
            <IconButton
              icon={FileText}
              label={t('Report of {subject}', { subject })}
              onClick={() => onReport(record)}
            />
          </span>
        )
      },
    },
  ]
}
