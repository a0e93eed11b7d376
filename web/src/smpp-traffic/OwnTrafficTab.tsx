import type { OwnTraffic } from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { formatDay, formatMinute, formatWeekday } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { BarChart, type Bar } from '../ui/charts/BarChart.tsx'
import { HourBars } from '../ui/charts/HourBars.tsx'
import { Card } from '../ui/Card.tsx'
import { PhoneNumber } from '../ui/PhoneNumber.tsx'
import { EmptyState, TabSkeleton } from '../ui/States.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { useOwnTraffic, type OfSupplier } from './queries.ts'
import { LastAt, Status, Why } from '../records/refusal-cells.tsx'
import { hexStatus, messageReasons } from '../records/refusal-words.ts'
import type { SmppTrafficSearch } from './search.ts'
import { t } from '../language/t.ts'

type Refused = OwnTraffic['refused'][number]
type RefusedNumber = OwnTraffic['refusedNumbers'][number]

const hourMs = 3_600_000
const series = [
  { label: t('Accepted'), colour: 1 },
  { label: t('Refused'), colour: 3 },
] as const

/** Accepted and refused by the hour, and what was refused with its fix. */
export function OwnTrafficTab({ hours, userId }: Pick<SmppTrafficSearch, 'hours'> & OfSupplier) {
  const traffic = useOwnTraffic(hours, { userId })
  const { data } = traffic
  if (data === undefined)
    return traffic.error ? (
      <Card>
        <FetchFailure of={traffic} title={t('Failed to fetch the traffic')} />
      </Card>
    ) : (
      <TabSkeleton />
    )
  return (
    <div className="space-y-4">
      <Card title={t('By the hour')}>
        <BarChart
          label={t('Accepted and refused messages by the hour')}
          totalLabel={t('Sent')}
          series={series}
          bars={barsOf(data)}
        />
      </Card>
      <RefusedTable refused={data.refused} />
      {data.refusedNumbers.length > 0 && <RefusedNumbers numbers={data.refusedNumbers} />}
    </div>
  )
}

function barsOf({ from, accepted, refused }: OwnTraffic): readonly Bar[] {
  const fromMs = Date.parse(from)
  const isLong = accepted.length > 24
  return accepted.map((count, index) => {
    const at = fromMs + index * hourMs
    const span = `${formatMinute(at)} – ${formatMinute(at + hourMs)}`
    const day = `${formatWeekday(at)} ${formatDay(at).slice(0, 5)}`
    const begin = formatMinute(at)
    return {
      label: `${day}, ${span}`,
      tick: isLong
        ? begin.startsWith('00:')
          ? formatDay(at).slice(0, 5)
          : ''
        : index % 3 === 0
          ? begin
          : '',
      values: [count, refused.reduce((sum, each) => sum + (each.hours[index] ?? 0), 0)],
      isRunning: index === accepted.length - 1,
    }
  })
}

// Of a week 28 bars of six hours, as wide as a day of hours.
const barsMax = 28

/** The hours of a refusal, few enough for a table. */
function shortHours(hours: readonly number[]): readonly number[] {
  const size = Math.ceil(hours.length / barsMax)
  return Array.from({ length: Math.ceil(hours.length / size) }, (_, index) =>
    hours.slice(index * size, (index + 1) * size).reduce((sum, count) => sum + count, 0),
  )
}

const refusedColumns: readonly Column<Refused>[] = [
  {
    id: 'reason',
    header: t('Why'),
    isSubject: true,
    card: 'title',
    cell: ({ reason }) => <Why {...messageReasons[reason]} />,
  },
  { id: 'status', header: t('Status'), cell: (refused) => <Status {...refused} /> },
  { id: 'count', header: t('Messages'), align: 'right', cell: ({ count }) => formatCount(count) },
  { id: 'last', header: t('Last'), align: 'right', cell: ({ lastAt }) => <LastAt at={lastAt} /> },
  {
    id: 'hours',
    header: t('Over time'),
    align: 'right',
    cell: ({ hours }) => {
      const bars = shortHours(hours)
      return (
        <span className="inline-block align-middle">
          <HourBars
            hours={bars}
            label={t('Over time, the oldest first: {figures}', { figures: bars.join(', ') })}
          />
        </span>
      )
    },
  },
]

function RefusedTable({ refused }: { refused: readonly Refused[] }) {
  return (
    <DataTable
      label={t('Refused messages')}
      title={<h2 className="text-md">{t('Refused messages')}</h2>}
      columns={refusedColumns}
      rows={refused}
      rowId={({ reason, status }) => `${reason}-${status}`}
      rowLabel={({ reason }) => messageReasons[reason].what}
      empty={
        <EmptyState title={t('Nothing was refused')}>
          {t(
            'Each message that is answered with an error is counted here, with its status and how to fix it.',
          )}
        </EmptyState>
      }
    />
  )
}

const numberColumns: readonly Column<RefusedNumber>[] = [
  {
    id: 'number',
    header: t('Destination'),
    isSubject: true,
    card: 'title',
    cell: ({ number }) =>
      number === 'other' ? (
        t('Other destinations, counted together')
      ) : (
        <span className="font-mono">
          <PhoneNumber value={number} />
        </span>
      ),
  },
  {
    id: 'status',
    header: t('Status'),
    cell: (refused) => <span className="font-mono">{hexStatus(refused.status)}</span>,
  },
  { id: 'why', header: t('Why'), cell: ({ reason }) => messageReasons[reason].what },
  {
    id: 'count',
    header: t('Messages'),
    align: 'right',
    card: 'end',
    cell: ({ count }) => formatCount(count),
  },
  { id: 'last', header: t('Last'), align: 'right', cell: ({ lastAt }) => <LastAt at={lastAt} /> },
]

function RefusedNumbers({ numbers }: { numbers: readonly RefusedNumber[] }) {
  return (
    <DataTable
      label={t('Destinations that were refused')}
      title={<h2 className="text-md">{t('Destinations that were refused')}</h2>}
      actions={
        numbers.length >= numbersMax && (
          <span className="text-ink-3">{t('the {numbersMax} most frequent', { numbersMax })}</span>
        )
      }
      columns={numberColumns}
      rows={numbers}
      rowId={({ number, reason, status, lastAt }) => `${number} ${reason} ${status} ${lastAt}`}
      rowLabel={({ number }) => number}
      empty={<EmptyState title={t('Nothing was refused')} />}
    />
  )
}

// The server gives no more.
const numbersMax = 100
