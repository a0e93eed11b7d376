// The versions of the thresholds: which one is live, which waits, and a new one.
import {
  versionRoutes,
  versionSetting,
  type IntegrityVersion,
} from '@tollgate/contract/integrity/versions.ts'
import { settingsRoutes } from '@tollgate/contract/settings/settings.ts'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { failureOf } from '../api/FetchFailure.tsx'
import { PendingChange } from '../api/PendingChange.tsx'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { t } from '../language/t.ts'
import { moneyPollMs } from '../money/queries.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/States.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { NewVersionDialog } from './NewVersionDialog.tsx'
import { VersionDrawer } from './VersionDrawer.tsx'
import { useBackTests, VersionBadge, versionPaths } from './version-state.tsx'

export function Versions() {
  const { may } = useSession()
  const list = useApiQuery(versionRoutes.listVersions, {}, { refetchIntervalMs: moneyPollMs })
  const { stateOf } = useBackTests()
  const [isMaking, setMaking] = useState(false)
  const [openId, setOpenId] = useState<string>()
  const versions = list.data ?? []
  const live = versions.find(({ isLive }) => isLive)
  const waiting = versions.find(({ pending }) => pending !== null)
  const open = versions.find(({ id }) => String(id) === openId)
  return (
    <div className="space-y-4">
      {waiting?.pending && may('adminSettings') && (
        <PendingChange
          label={t('the version of the thresholds')}
          value={t('Version {id}: {note}', { id: waiting.id, note: waiting.note })}
          change={waiting.pending}
          route={settingsRoutes.decideSettingChange}
          callOf={(action) => ({ params: { key: versionSetting }, body: { action } })}
          refetch={versionPaths}
        />
      )}
      <DataTable<IntegrityVersion>
        label={t('Versions of the thresholds')}
        title={t('Versions of the thresholds')}
        actions={
          live !== undefined &&
          may('adminSettings') && (
            <Button icon={Plus} onClick={() => setMaking(true)}>
              {t('New version')}
            </Button>
          )
        }
        columns={columnsOf(stateOf)}
        rows={list.data}
        {...failureOf(list, t('Failed to fetch the versions'))}
        rowId={({ id }) => String(id)}
        rowLabel={({ id }) => t('Version {id}', { id })}
        loadingLabel={t('Loading the versions...')}
        loadingRows={2}
        openId={openId}
        onOpen={({ id }) => setOpenId(String(id))}
        empty={<EmptyState title={t('No version')} />}
      />
      {isMaking && live && (
        <NewVersionDialog
          live={live}
          onMade={(id) => {
            setMaking(false)
            setOpenId(String(id))
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {open && live && <VersionDrawer version={open} live={live} onClose={() => setOpenId(undefined)} />}
    </div>
  )
}

const columnsOf = (
  stateOf: ReturnType<typeof useBackTests>['stateOf'],
): readonly Column<IntegrityVersion>[] => [
  { ...subject, id: 'version', header: t('Version'), cell: ({ id }) => t('Version {id}', { id }) },
  {
    id: 'note',
    header: t('Note'),
    card: 'labelled',
    cell: ({ note }) => <span className="block max-w-120 whitespace-normal">{note}</span>,
  },
  {
    id: 'made',
    header: t('Made'),
    stackUnder: 'note',
    cell: ({ madeAt, madeBy }) => (
      <ByAt at={madeAt} by={madeBy === '' ? t('with the gateway') : t('by {name}', { name: madeBy })} />
    ),
  },
  {
    id: 'live',
    header: t('Live since'),
    cell: ({ liveFrom, isLive, madeBy, madeAt, approvedBy }) => {
      if (liveFrom !== null)
        return (
          <ByAt
            at={liveFrom}
            by={approvedBy === '' ? '' : t('approved by {name}', { name: approvedBy })}
            {...(!isLive && { before: t('last on') })}
          />
        )
      return isLive && madeBy === '' ? formatDateTime(madeAt) : <span className="text-ink-3">–</span>
    },
  },
  {
    id: 'state',
    header: t('Status'),
    card: 'end',
    cell: (version) => <VersionBadge version={version} test={stateOf(version)} />,
  },
]

function ByAt({ at, by, before }: { at: string; by: string; before?: string }) {
  return (
    <span className="block">
      {before !== undefined && <span className="text-ink-3">{before} </span>}
      {formatDateTime(at)}
      {by !== '' && <span className="block text-xs text-ink-3">{by}</span>}
    </span>
  )
}
