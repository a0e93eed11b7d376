import { auditRoutes } from '@tollgate/contract/audit/audit.ts'
import { tableOf } from '../api/FetchFailure.tsx'
import { useApiPages } from '../api/use-api.ts'
import { auditColumns, EntryView } from '../audit/entry.tsx'
import { Drawer } from '../ui/Drawer.tsx'
import { EmptyState } from '../ui/States.tsx'
import { DataTable } from '../ui/table/DataTable.tsx'
import { useObjectUrl } from './ObjectPage.tsx'
import { t } from '../language/t.ts'

interface HistoryTabProps {
  readonly objectType: string
  readonly objectId: string
}

const columns = auditColumns.filter(({ id }) => id !== 'object')

/** What the audit log has about one object, newest first. */
export function HistoryTab({ objectType, objectId }: HistoryTabProps) {
  const url = useObjectUrl()
  const list = useApiPages(auditRoutes.listAuditEntries, { query: { objectType, objectId } })
  const opened = list.rows?.find(({ id }) => id === url.state.entry)
  return (
    <>
      <DataTable
        label={t('History')}
        columns={columns}
        rowId={({ id }) => id}
        rowLabel={({ action }) => action}
        openId={url.state.entry}
        onOpen={({ id }) => url.set({ entry: id }, true)}
        {...tableOf(list, t('Failed to fetch the audit log'))}
        empty={<EmptyState title={t('Nothing was changed here yet')} />}
      />
      {opened && (
        <Drawer isOpen label={t('Entry {id}', { id: opened.id })} onClose={() => url.set({ entry: '' })}>
          <EntryView entry={opened} />
        </Drawer>
      )}
    </>
  )
}
