// The receipts that came over a connection for no message of ours.
import { connectionsRoutes, type UnmatchedReceipt } from '@tollgate/contract/connections/connections.ts'
import { failureOf } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatSecond } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { EmptyState } from '../ui/States.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { t } from '../language/t.ts'

const refetchIntervalMs = 10_000

/** What the words of SMPP 3.4 Appendix B mean. */
const stateLabels: Readonly<Record<string, string>> = {
  ENROUTE: t('Enroute'),
  ACCEPTD: t('Accepted'),
  DELIVRD: t('Delivered'),
  EXPIRED: t('Expired'),
  DELETED: t('Deleted'),
  UNDELIV: t('Undeliverable'),
  REJECTD: t('Rejected'),
  UNKNOWN: t('Nothing that says a state'),
}

const columns: readonly Column<UnmatchedReceipt>[] = [
  {
    ...subject,
    id: 'messageId',
    header: t('Message ID'),
    cell: ({ messageId }) =>
      messageId === '' ? (
        t('None that can be read')
      ) : (
        <span className="font-mono break-all">{messageId}</span>
      ),
  },
  {
    id: 'state',
    header: t('State'),
    cell: ({ receipt }) => (
      <span className="block">
        <span className="font-mono">{receipt}</span>
        <span className="block text-ink-3">{stateLabels[receipt] ?? t('A word of the vendor')}</span>
      </span>
    ),
  },
  { id: 'octets', header: t('Octets'), isControl: true, cell: ({ octets }) => <Octets octets={octets} /> },
  { id: 'count', header: t('Count'), align: 'right', cell: ({ count }) => formatCount(count) },
  { id: 'last', header: t('Last'), card: 'fact', cell: ({ receivedAt }) => formatSecond(receivedAt) },
]

/** What is read in them, and the octets themselves below. */
function Octets({ octets }: { octets: string }) {
  if (octets === '') return <span className="text-ink-3">{t('No text')}</span>
  return (
    <span className="flex min-w-64 items-start gap-2 py-1.5 whitespace-normal" dir="ltr">
      <span className="min-w-0 font-mono break-all">
        {readable(octets)}
        <span className="block text-xs text-ink-3">{octets}</span>
      </span>
      <CopyButton value={octets} what={t('octets')} />
    </span>
  )
}

/** As ASCII; NULs are left out, so that UCS-2 is read too, and `·` stands for an octet that is hidden or no character. */
const readable = (octets: string) =>
  (octets.match(/../g) ?? [])
    .filter((octet) => octet !== '00')
    .map((octet) => {
      const code = parseInt(octet, 16)
      return code >= 0x20 && code < 0x7f ? String.fromCodePoint(code) : '·'
    })
    .join('')

/** Those of the last week, the newest first. */
export function UnmatchedReceiptsTab({ connectionId }: { connectionId: string }) {
  const list = useApiQuery(
    connectionsRoutes.listUnmatchedReceipts,
    { params: { id: connectionId } },
    { refetchIntervalMs },
  )
  return (
    <div data-stale={list.isError || undefined} className="space-y-3">
      <p className="max-w-2xl text-pretty text-ink-2">
        {t(
          'Receipts of the last 7 days that belong to no message of ours. If they should, compare the ids with those that the answers gave: the form of ids is a setting of the connection. What a receipt quotes of a message is hidden.',
        )}
      </p>
      {list.data && <RefreshNote of={[list]} />}
      <DataTable
        label={t('Unmatched receipts')}
        storageName="unmatched-receipts"
        columns={columns}
        rows={list.data}
        rowId={({ messageId }) => messageId}
        rowLabel={({ messageId }) => messageId}
        {...failureOf(list, t('Failed to fetch the unmatched receipts'))}
        empty={<EmptyState title={t('Every receipt of the last 7 days has its message')} />}
      />
    </div>
  )
}
