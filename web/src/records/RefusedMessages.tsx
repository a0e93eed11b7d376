import type { RecordFilters } from '@tollgate/contract/records/records.ts'
import {
  refusedFilters,
  refusedMessagesRoutes,
  type RefusedMessageView,
} from '@tollgate/contract/records/refused-messages.ts'
import { useState } from 'react'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatDay, formatMinute } from '../format/dates.ts'
import { formatCount, unknownFigure } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { Status, Why } from './refusal-cells.tsx'
import { messageReasons } from './refusal-words.ts'
import { t } from '../language/t.ts'

const shownAtFirst = 3

/**
 * What was refused and matches, for staff who look for a message that never arrived. Shown while the filters are such that
 * a refused message can match them.
 */
export function RefusedMessages({ filters }: { readonly filters: RecordFilters }) {
  const { may } = useSession()
  const names = Object.keys(filters)
  const isMeant = names.length > 0 && names.every((name) => name in refusedFilters.shape)
  return isMeant && may('interconnectionApi') ? <Found filters={filters} /> : null
}

const columns: readonly Column<RefusedMessageView>[] = [
  {
    id: 'at',
    header: t('Date & Time'),
    isSubject: true,
    card: 'fact',
    cell: ({ at }) => `${formatDay(at)} | ${formatMinute(at)}`,
  },
  {
    id: 'number',
    header: t('Number'),
    card: 'title',
    cell: ({ number }) => <span className="phone-number">{formatPhone(number) || unknownFigure}</span>,
  },
  {
    id: 'sender',
    header: t('Sender'),
    card: 'fact',
    cell: ({ sender }) => <span className="phone-number">{formatPhone(sender) || unknownFigure}</span>,
  },
  { id: 'gateway', header: t('Supplier'), card: 'fact', cell: ({ gateway }) => gateway || unknownFigure },
  {
    id: 'state',
    header: t('Status'),
    card: 'end',
    cell: () => (
      <Badge tone="bad" icon="x">
        {t('Refused')}
      </Badge>
    ),
  },
  {
    id: 'why',
    header: t('Why'),
    cell: ({ reason }) => <Why what={messageReasons[reason].what} fix={messageReasons[reason].cure} />,
  },
  {
    id: 'answer',
    header: t('Answered'),
    cell: (refused) => (refused.status === 0 ? unknownFigure : <Status {...refused} />),
  },
  { id: 'count', header: t('Messages'), align: 'right', cell: ({ count }) => formatCount(count) },
]

function Found({ filters }: { readonly filters: RecordFilters }) {
  const { data } = useApiQuery(refusedMessagesRoutes.listRefusedMessages, { query: filters })
  const [isWhole, setWhole] = useState(false)
  if (data === undefined || data.length === 0) return null
  return (
    <DataTable
      label={t('Refused messages')}
      title={<h2 className="text-md">{t('Refused, so they are no records')}</h2>}
      {...(data.length > shownAtFirst && {
        actions: (
          <Button size="sm" tone="ghost" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? t('Show fewer') : t('Show all {count}', { count: formatCount(data.length) })}
          </Button>
        ),
      })}
      columns={columns}
      rows={isWhole ? data : data.slice(0, shownAtFirst)}
      rowId={({ at, gateway, number, sender, reason, status }) =>
        `${at} ${gateway} ${number} ${sender} ${reason} ${status}`
      }
      rowLabel={({ number }) => formatPhone(number)}
      empty={null}
    />
  )
}
