// The hot list: senders and blocks that somebody named, with the reason, the last day and who did it.
import {
  listedSenderRoutes,
  listedStates,
  type ListedSender,
} from '@tollgate/contract/integrity/listed-senders.ts'
import { FileUp, Plus } from 'lucide-react'
import { useState } from 'react'
import { urlOf } from '../api/call.ts'
import { tableOf } from '../api/FetchFailure.tsx'
import { useApiPages } from '../api/use-api.ts'
import { formatDateTime, formatDay } from '../format/dates.ts'
import { t } from '../language/t.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { SelectField } from '../ui/Field.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { EmptyState } from '../ui/States.tsx'
import { actionsColumn, type Column, subject } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { filterChips, quoted, urlSelect, type UrlState } from '../url-state.ts'
import { AddListedDialog, ImportListedDialog, RemoveListedDialog } from './HotListDialogs.tsx'
import { listedName } from './listed-name.ts'
import type { ListedSearch } from './search.ts'

const stateNames: Record<(typeof listedStates)[number], string> = {
  active: t('On the list'),
  ended: t('Ended'),
}
const stateOptions = [
  ...listedStates.map((value) => ({ value, label: stateNames[value] })),
  { value: 'all', label: t('All') },
]

type Opened = { readonly kind: 'add' | 'import' } | { readonly kind: 'remove'; readonly entry: ListedSender }

export function HotList({ url }: { url: UrlState<ListedSearch> }) {
  const { listed: search, listedState } = url.state
  const [opened, setOpened] = useState<Opened>()
  const filters = { search, state: listedState === 'all' ? undefined : listedState }
  const list = useApiPages(listedSenderRoutes.listListedSenders, { query: filters })
  const chips = filterChips(url, {
    listed: quoted,
    listedState: (value) => stateOptions.find((option) => option.value === value)?.label ?? value,
  })
  const reset = () => url.set({ listed: '', listedState: 'active' })
  const close = () => setOpened(undefined)
  return (
    <div className="space-y-4">
      <FilterBar
        chips={chips}
        onReset={reset}
        actions={
          <>
            <Button icon={FileUp} onClick={() => setOpened({ kind: 'import' })}>
              {t('Import')}
            </Button>
            <Button icon={Plus} tone="primary" onClick={() => setOpened({ kind: 'add' })}>
              {t('Add Sender')}
            </Button>
          </>
        }
      >
        <SearchBox
          placeholder={t('Search by sender or reason...')}
          value={search}
          onSearch={(text) => url.set({ listed: text })}
        />
        <SelectField label={t('Status')} options={stateOptions} {...urlSelect(url, 'listedState')} />
      </FilterBar>
      <DataTable<ListedSender>
        label={t('Hot list')}
        storageName="hot-list"
        columns={columnsOf((entry) => setOpened({ kind: 'remove', entry }))}
        {...tableOf(list, t('Failed to fetch the hot list'))}
        rowId={({ id }) => id}
        rowLabel={listedName}
        loadingLabel={t('Loading the hot list...')}
        empty={
          chips.length > 0 ? (
            <EmptyState
              title={t('No entry matches')}
              action={<Button onClick={reset}>{t('Reset filters')}</Button>}
            />
          ) : (
            <EmptyState title={t('Nobody is on the hot list')}>
              {t('Add senders that a carrier or an investigation names. Their messages become a case.')}
            </EmptyState>
          )
        }
        foot={<ExportCsv href={urlOf(listedSenderRoutes.exportListedSenders, { query: filters })} />}
      />
      {opened?.kind === 'add' && <AddListedDialog onClose={close} />}
      {opened?.kind === 'import' && <ImportListedDialog onClose={close} />}
      {opened?.kind === 'remove' && <RemoveListedDialog entry={opened.entry} onClose={close} />}
    </div>
  )
}

const columnsOf = (onRemove: (entry: ListedSender) => void): readonly Column<ListedSender>[] => [
  {
    ...subject,
    id: 'sender',
    header: t('Sender or block'),
    cell: (entry) => <span className="phone-number">{listedName(entry)}</span>,
  },
  {
    id: 'reason',
    header: t('Reason'),
    cell: ({ reason, removalReason }) => (
      <span className="block max-w-120 whitespace-normal">
        {reason}
        {removalReason !== '' && (
          <span className="block text-xs text-ink-3">
            {t('Removed: {reason}', { reason: removalReason })}
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'until',
    header: t('Last day'),
    card: 'fact',
    cell: ({ untilDay }) => (untilDay === null ? t('no end') : formatDay(untilDay)),
  },
  {
    id: 'by',
    header: t('Added'),
    cell: ({ listedBy, listedAt }) => (
      <span className="block">
        {formatDateTime(listedAt)}
        <span className="block text-xs text-ink-3">{t('by {name}', { name: listedBy })}</span>
      </span>
    ),
  },
  {
    id: 'state',
    header: t('Status'),
    card: 'end',
    cell: ({ state }) =>
      state === 'active' ? (
        <Badge tone="warn" icon="ring">
          {stateNames.active}
        </Badge>
      ) : (
        <Badge tone="idle" icon="minus">
          {stateNames.ended}
        </Badge>
      ),
  },
  actionsColumn((entry) =>
    entry.removedAt === null ? (
      <Button
        size="sm"
        aria-label={t('Remove {sender}', { sender: listedName(entry) })}
        onClick={() => onRemove(entry)}
      >
        {t('Remove')}
      </Button>
    ) : null,
  ),
]
