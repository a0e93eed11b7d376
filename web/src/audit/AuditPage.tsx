import { auditRoutes, type AuditEntry } from '@tollgate/contract/audit.ts'
import { ShieldCheck } from 'lucide-react'
import { messageOf } from '../api/api-error.ts'
import { call, urlOf } from '../api/call.ts'
import { useApiQuery, useApiPages } from '../api/use-api.ts'
import { formatDateTime, formatDay, formatSecond, formatWeekday } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { ListFilters } from '../ui/ListFilters.tsx'
import { Button } from '../ui/Button.tsx'
import { Pairs } from '../ui/Card.tsx'
import { Drawer, DrawerHead } from '../ui/Drawer.tsx'
import { DateField, SelectField } from '../ui/Field.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/States.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { showToast } from '../ui/toasts.ts'
import { urlSelect, filterChips, quoted, urlSort, useUrlState } from '../url-state.ts'
import { AuditProof } from './AuditProof.tsx'
import { auditSearch } from './search.ts'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { tableOf } from '../api/FetchFailure.tsx'

const columns: readonly Column<AuditEntry>[] = [
  { id: 'at', header: 'Date & Time', sortBy: 'at', card: 'fact', cell: (entry) => formatDateTime(entry.at) },
  { id: 'actor', header: 'Who', sortBy: 'actor', card: 'fact', cell: (entry) => entry.actor },
  {
    id: 'action',
    header: 'Action',
    sortBy: 'action',
    isSubject: true,
    isHideable: false,
    card: 'title',
    cell: (entry) => entry.action,
  },
  {
    id: 'object',
    header: 'Object',
    cell: (entry) => (
      <>
        {objectWord(entry)} <span className="font-mono">{entry.objectId}</span>
      </>
    ),
  },
  {
    id: 'ip',
    header: 'From',
    cell: (entry) => <span className="font-mono">{entry.ip === '' ? '–' : entry.ip}</span>,
  },
]

/** The type of the changed object in plain words: 'number request' for number_request. */
function objectWord({ objectType }: AuditEntry): string {
  return objectType.replaceAll('_', ' ')
}

/** Has the server recompute the hash chain, and shows the result. */
async function verify(): Promise<void> {
  try {
    const { isIntact, count, brokenId } = await call(auditRoutes.verifyAudit)
    showToast(
      isIntact
        ? { title: 'The audit log is intact', text: `${formatCount(count)} entries checked` }
        : {
            tone: 'bad',
            title: 'The audit log was altered',
            text: `The chain breaks at entry ${brokenId ?? '?'}`,
          },
    )
  } catch (error) {
    showToast({ tone: 'bad', title: 'Failed to check the audit log', text: messageOf(error) })
  }
}

export function AuditPage() {
  const url = useUrlState(auditSearch)
  const { search, action, dateFrom, dateTo, sort, order, open } = url.state
  const filters = {
    search,
    ...(action !== '' && { action }),
    ...(dateFrom !== '' && { dateFrom }),
    ...(dateTo !== '' && { dateTo }),
  }
  const list = useApiPages(auditRoutes.listAuditEntries, { query: { ...filters, sort, order } })
  const actions = useApiQuery(auditRoutes.listAuditActions)
  const opened = list.rows?.find((entry) => entry.id === open)
  const neighbour = (by: number) => {
    const rows = list.rows ?? []
    const next = rows[rows.findIndex((entry) => entry.id === open) + by]
    return next && (() => url.set({ open: next.id }))
  }
  return (
    <>
      <PageHeader
        title="Audit Log"
        actions={
          <Button icon={ShieldCheck} onClick={() => void verify()}>
            Check the chain
          </Button>
        }
      >
        Who did what, when, from where; entries are only ever added
      </PageHeader>
      <AuditProof />
      <ListFilters
        page="audit-log"
        url={url}
        chips={filterChips(url, {
          search: quoted,
          action: (value) => value,
          dateFrom: (value) => `from ${value}`,
          dateTo: (value) => `to ${value}`,
        })}
        placeholder="Search by person or object..."
      >
        <SelectField
          label="Action"
          options={[
            { value: '', label: 'All Actions' },
            ...(actions.data ?? []).map((value) => ({ value, label: value })),
          ]}
          {...urlSelect(url, 'action')}
        />
        <DateField
          label="Date From"
          value={dateFrom}
          onChange={(event) => url.set({ dateFrom: event.target.value })}
        />
        <DateField
          label="Date To"
          value={dateTo}
          onChange={(event) => url.set({ dateTo: event.target.value })}
        />
      </ListFilters>
      <DataTable
        label="Audit log"
        storageName="audit"
        columns={columns}
        rowId={(entry) => entry.id}
        rowLabel={(entry) => entry.action}
        {...urlSort(url)}
        openId={open}
        onOpen={(entry) => url.set({ open: entry.id }, true)}
        {...tableOf(list, 'Failed to fetch the audit log')}
        empty={
          <EmptyState
            title="No entries match the filters"
            action={<Button onClick={url.reset}>Reset filters</Button>}
          />
        }
        {...(list.rows?.length !== 0 && {
          foot: <ExportCsv href={urlOf(auditRoutes.exportAuditEntries, { query: filters })} />,
        })}
      />
      {opened && (
        <Drawer
          isOpen
          label={`Entry ${opened.id}`}
          onClose={() => url.set({ open: '' })}
          onNext={neighbour(1)}
          onPrevious={neighbour(-1)}
        >
          <EntryView entry={opened} />
        </Drawer>
      )}
    </>
  )
}

function EntryView({ entry }: { entry: AuditEntry }) {
  const names = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])]
  return (
    <div className="space-y-4">
      <DrawerHead
        subject={entry.action}
        time={`${formatDay(entry.at)} | ${formatSecond(entry.at)} ${formatWeekday(entry.at)}`}
      />
      <Pairs
        items={[
          { label: 'Who', value: entry.actor },
          { label: 'From', value: <span className="font-mono">{entry.ip === '' ? '–' : entry.ip}</span> },
          { label: 'Object', value: `${objectWord(entry)} ${entry.objectId}` },
          { label: 'Entry', value: <span className="font-mono">{entry.id}</span> },
        ]}
      />
      {names.length > 0 && (
        <table className="w-full text-xs">
          <thead>
            <tr className="text-left text-ink-3">
              <th className="pb-1.5 font-medium">Field</th>
              <th className="pb-1.5 font-medium">Before</th>
              <th className="pb-1.5 font-medium">After</th>
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name} className="border-t border-line align-top">
                <td className="py-1.5 pr-3 text-ink-3">{name}</td>
                <td className="py-1.5 pr-3 font-mono break-all">{shown(entry.before?.[name])}</td>
                <td className="py-1.5 font-mono break-all">{shown(entry.after?.[name])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
