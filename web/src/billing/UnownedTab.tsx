import {
  unownedGroups,
  unownedRoutes,
  type UnownedGroup,
  type UnownedReport,
} from '@tollgate/contract/records/unowned.ts'
import { Link } from '@tanstack/react-router'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { urlOf } from '../api/call.ts'
import { useApiQuery } from '../api/use-api.ts'
import { formatDateTime, formatDay, formatPeriod } from '../format/dates.ts'
import { formatCount, formatShekels, formatUsd, unknownFigure } from '../format/money.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { paths } from '../paths.ts'
import { DateField } from '../ui/DateField.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { formatPhone } from '../format/phone.ts'
import { PhoneNumber } from '../ui/PhoneNumber.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { EmptyState } from '../ui/States.tsx'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { filterChips, type UrlState } from '../url-state.ts'
import type { PaymentManagementSearch } from './search.ts'
import { linkName } from '../ui/link-name.ts'
import { t } from '../language/t.ts'

type UnownedRow = UnownedReport['rows'][number]

const words: Record<UnownedGroup, string> = {
  number: t('Number'),
  range: t('Range'),
  gateway: t('Supplier'),
  day: t('Day'),
}
const groups = unownedGroups.map((value) => ({ value, label: words[value] }))

/** Messages to numbers that nobody held, with what a holder would have earned. */
export function UnownedTab({ url }: { url: UrlState<PaymentManagementSearch> }) {
  const { unownedFrom, unownedTo, unownedBy: groupBy } = url.state
  const query = {
    groupBy,
    ...(unownedFrom !== '' && { dateFrom: unownedFrom }),
    ...(unownedTo !== '' && { dateTo: unownedTo }),
  }
  const report = useApiQuery(unownedRoutes.reportUnowned, { query })
  const { data } = report
  return (
    <div className="space-y-4">
      <FilterBar
        chips={filterChips(url, {
          unownedFrom: (day) => t('From {day}', { day: formatDay(day) }),
          unownedTo: (day) => t('To {day}', { day: formatDay(day) }),
        })}
        onReset={() => url.set({ unownedFrom: '', unownedTo: '' })}
        actions={
          <Segmented
            label={t('Group by')}
            value={groupBy}
            onChange={(unownedBy) => url.set({ unownedBy })}
            options={groups}
          />
        }
      >
        <DateField
          label={t('Date From')}
          zone="UTC"
          value={unownedFrom}
          onChange={(event) => url.set({ unownedFrom: event.target.value })}
        />
        <DateField
          label={t('Date To')}
          zone="UTC"
          value={unownedTo}
          onChange={(event) => url.set({ unownedTo: event.target.value })}
        />
      </FilterBar>
      <DataTable<UnownedRow>
        label={t('Unowned SMS')}
        columns={columnsOf(groupBy)}
        rows={data?.rows}
        rowId={({ group }) => group}
        rowLabel={({ group }) => group}
        loadingLabel={t('Loading unowned SMS...')}
        {...(report.error && {
          failure: <FetchFailure of={report} title={t('Failed to fetch unowned SMS')} />,
        })}
        empty={
          <EmptyState title={t('No unowned SMS')}>
            {t('Each SMS of these days came to a number that somebody held.')}
          </EmptyState>
        }
        foot={
          data && (
            <>
              <span className="text-ink-3">
                {data.isCut
                  ? t('{period}, the first {count} rows', {
                      period: formatPeriod(data.dateFrom, data.dateTo),
                      count: formatCount(data.rows.length),
                    })
                  : formatPeriod(data.dateFrom, data.dateTo)}
              </span>
              <Total label={t('SMS')} value={formatCount(data.total.smsCount)} />
              <Total label={t('Value')} value={formatUsd(data.total.amountUsd)} />
              <Total label={t('Not credited')} value={formatUsd(data.total.openAmountUsd)} />
              <ExportCsv href={urlOf(unownedRoutes.exportUnowned, { query })} />
            </>
          )
        }
      />
    </div>
  )
}

function columnsOf(groupBy: UnownedGroup): readonly Column<UnownedRow>[] {
  return [
    {
      ...subject,
      id: 'group',
      header: words[groupBy],
      cell: ({ group }) => <Group group={group} groupBy={groupBy} />,
    },
    {
      id: 'count',
      header: t('SMS'),
      align: 'right',
      cell: ({ smsCount, recordsUrl, group }) =>
        recordsUrl === '' ? (
          formatCount(smsCount)
        ) : (
          <RecordsLink url={recordsUrl} label={t('Unowned SMS: {group}', { group })}>
            {formatCount(smsCount)}
          </RecordsLink>
        ),
    },
    { id: 'bill', header: t('Bill'), align: 'right', cell: ({ bill }) => formatShekels(bill) },
    {
      id: 'value',
      header: t('Value'),
      align: 'right',
      card: 'end',
      cell: ({ amountUsd }) => formatUsd(amountUsd),
    },
    {
      id: 'open',
      header: t('Not credited'),
      align: 'right',
      cell: ({ openCount, openAmountUsd }) =>
        openCount === 0 ? <span className="text-ink-3">–</span> : formatUsd(openAmountUsd),
    },
    { id: 'last', header: t('Last'), cell: ({ lastAt }) => formatDateTime(lastAt) },
  ]
}

/** A number leads to where it can be assigned from an earlier time. */
function Group({ group, groupBy }: { group: string; groupBy: UnownedGroup }) {
  if (group === '') return <span className="text-ink-3">{t('In no range')}</span>
  if (groupBy === 'day') return formatDay(group)
  if (groupBy !== 'number') return group === '' ? unknownFigure : group
  return (
    <Link
      to={paths.numberInventory as string}
      search={{ search: group } as never}
      aria-label={linkName(formatPhone(group), t('Stock of {group}', { group }))}
      className="hover:underline"
    >
      <PhoneNumber value={group} />
    </Link>
  )
}
