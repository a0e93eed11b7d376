import { auditedTypes, auditRoutes } from '@tollgate/contract/audit/audit.ts'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '../api/api-error.ts'
import { call, urlOf } from '../api/call.ts'
import { useApiQuery, useApiPages } from '../api/use-api.ts'
import { formatCount } from '../format/money.ts'
import { ListFilters } from '../ui/ListFilters.tsx'
import { Button } from '../ui/Button.tsx'
import { Drawer } from '../ui/Drawer.tsx'
import { DateField } from '../ui/DateField.tsx'
import { SelectField, TextField } from '../ui/Field.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/States.tsx'
import { DataTable } from '../ui/table/DataTable.tsx'
import { showToast } from '../ui/toasts.ts'
import { urlSelect, filterChips, quoted, urlSort, useUrlState } from '../url-state.ts'
import { AuditProof } from './AuditProof.tsx'
import { auditColumns, EntryView } from './entry.tsx'
import { auditSearch } from './search.ts'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { tableOf } from '../api/FetchFailure.tsx'
import { zoneName } from '../language/reader.ts'
import { t } from '../language/t.ts'
import { actionName, objectWord } from './words.ts'

/** Has the server recompute the hash chain, and shows the result. */
async function verify(): Promise<void> {
  try {
    const { isIntact, count, brokenId } = await call(auditRoutes.verifyAudit)
    showToast(
      isIntact
        ? {
            title: t('The audit log is intact'),
            text: t('{count} entries checked', { count: formatCount(count) }),
          }
        : {
            tone: 'bad',
            title: t('The audit log was altered'),
            text: t('The chain breaks at entry {brokenId}', { brokenId: brokenId ?? '?' }),
          },
    )
  } catch (error) {
    showToast({ tone: 'bad', title: t('Failed to check the audit log'), text: messageOf(error) })
  }
}

const objectOptions = [
  { value: '', label: t('All Objects') },
  ...auditedTypes.map((value) => ({ value, label: objectWord(value) })),
]

export function AuditPage() {
  const [isChecking, setChecking] = useState(false)
  const check = () => {
    setChecking(true)
    void verify().then(() => setChecking(false))
  }
  const url = useUrlState(auditSearch)
  const { search, action, objectType, objectId, changeId, dateFrom, dateTo, sort, order, open } = url.state
  const filters = {
    search,
    ...(action !== '' && { action }),
    ...(objectType !== '' && { objectType }),
    ...(objectId !== '' && { objectId }),
    ...(changeId !== '' && { changeId }),
    ...(dateFrom !== '' && { dateFrom }),
    ...(dateTo !== '' && { dateTo }),
    ...((dateFrom !== '' || dateTo !== '') && zoneName() !== 'UTC' && { zone: zoneName() }),
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
        title={t('Audit Log')}
        actions={
          <Button icon={ShieldCheck} isBusy={isChecking} busyLabel={t('Checking...')} onClick={check}>
            {t('Check the chain')}
          </Button>
        }
      >
        {t('Who did what, when, from where; entries are only ever added')}
      </PageHeader>
      <AuditProof />
      <ListFilters
        page="audit-log"
        url={url}
        chips={filterChips(url, {
          search: quoted,
          action: actionName,
          objectType: objectWord,
          objectId: (id) => t('id {id}', { id }),
          changeId: (id) => t('change {id}', { id }),
          dateFrom: (day) => t('from {day}', { day }),
          dateTo: (day) => t('to {day}', { day }),
        })}
        placeholder={t('Person or object')}
      >
        <SelectField
          label={t('Action')}
          options={[
            { value: '', label: t('All Actions') },
            ...(actions.data ?? []).map((value) => ({ value, label: actionName(value) })),
          ]}
          {...urlSelect(url, 'action')}
        />
        <SelectField label={t('Object')} options={objectOptions} {...urlSelect(url, 'objectType')} />
        <TextField
          label={t('Object ID')}
          size={8}
          value={objectId}
          maxLength={50}
          onChange={(event) => url.set({ objectId: event.target.value.trim() })}
        />
        <DateField
          label={t('Date From')}
          zone={zoneName()}
          value={dateFrom}
          onChange={(event) => url.set({ dateFrom: event.target.value })}
        />
        <DateField
          label={t('Date To')}
          zone={zoneName()}
          value={dateTo}
          onChange={(event) => url.set({ dateTo: event.target.value })}
        />
      </ListFilters>
      <DataTable
        label={t('Audit log')}
        storageName="audit"
        columns={auditColumns}
        rowId={(entry) => entry.id}
        rowLabel={(entry) => actionName(entry.action)}
        {...urlSort(url)}
        openId={open}
        onOpen={(entry) => url.set({ open: entry.id }, true)}
        {...tableOf(list, t('Failed to fetch the audit log'))}
        empty={
          <EmptyState
            title={t('No entries match the filters')}
            action={<Button onClick={url.reset}>{t('Reset filters')}</Button>}
          />
        }
        {...(list.rows?.length !== 0 && {
          foot: <ExportCsv href={urlOf(auditRoutes.exportAuditEntries, { query: filters })} />,
        })}
      />
      {opened && (
        <Drawer
          isOpen
          label={t('Entry {id}', { id: opened.id })}
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
