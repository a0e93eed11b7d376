// The events of connections and endpoints, newest first by default.
import { interconnectionRoutes, type Activity } from '@tollgate/contract/connections/interconnection.ts'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { urlOf } from '../../api/call.ts'
import { formatInstant } from '../../format/dates.ts'
import { formatWords } from '../../format/sentences.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { StatusIcon, toneIcons } from '../../ui/StatusIcon.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { EmptyState } from '../../ui/States.tsx'
import type { UrlState } from '../../url-state.ts'
import { useActivityLog } from './queries.ts'
import type { InterconnectionSearch } from './search.ts'
import { ExportCsv } from '../../ui/ExportCsv.tsx'
import { Unfetched } from '../../api/FetchFailure.tsx'
import { t } from '../../language/t.ts'

const filters = [
  { value: 'all', label: t('All') },
  { value: 'connection', label: t('Connections') },
  { value: 'endpoint', label: t('Endpoints') },
] as const

export function ActivityLog({ url }: { url: UrlState<InterconnectionSearch> }) {
  const { activity, order } = url.state
  const kind = activity === 'all' ? undefined : activity
  const list = useActivityLog(kind, order)
  return (
    <Card
      title={t('Activity Log')}
      isFlush
      aside={
        <div className="flex flex-wrap items-center gap-2">
          <Segmented
            label={t('Kind of activity')}
            value={activity}
            options={filters}
            onChange={(next) => url.set({ activity: next })}
          />
          <Button
            size="sm"
            tone="ghost"
            icon={order === 'desc' ? ArrowDown : ArrowUp}
            onClick={() => url.set({ order: order === 'desc' ? 'asc' : 'desc' })}
          >
            {order === 'desc' ? t('Newest first') : t('Oldest first')}
          </Button>
          <ExportCsv href={urlOf(interconnectionRoutes.exportActivity, { query: { kind } })} />
        </div>
      }
      {...(list.hasMore && {
        foot: (
          <Button size="sm" isBusy={list.isLoadingMore} onClick={list.loadMore}>
            {t('Show more results')}
          </Button>
        ),
      })}
    >
      {list.rows ? (
        list.rows.length === 0 ? (
          <EmptyState title={t('Nothing happened yet')}>
            {t('States of connections, failing endpoints and what people did show here.')}
          </EmptyState>
        ) : (
          <ol className="divide-y divide-line">
            {list.rows.map((event) => (
              <ActivityItem key={event.id} event={event} />
            ))}
          </ol>
        )
      ) : (
        <Unfetched of={list} title={t('Failed to fetch the activity log')} className="m-4 h-40" />
      )}
    </Card>
  )
}

function ActivityItem({ event }: { event: Activity }) {
  const { at, name, title, detail, detailWords, tone, by } = event
  return (
    <li className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-0.5 px-4 py-2 sm:grid-cols-[10rem_12rem_1fr_auto]">
      <time dateTime={at} className="font-mono text-xs whitespace-nowrap text-ink-3">
        {formatInstant(at)}
      </time>
      <span className="min-w-0 truncate font-medium max-sm:text-end">{name}</span>
      <span className="min-w-0 max-sm:col-span-2">
        <span className="inline-flex items-center gap-1.5">
          <StatusIcon shape={toneIcons[tone]} tone={tone} />
          {t(title)}
        </span>
        {detail !== '' && <span className="text-ink-3"> · {formatWords(detailWords ?? detail)}</span>}
      </span>
      {by !== '' && <span className="text-ink-3 max-sm:col-span-2">{t('by {by}', { by })}</span>}
    </li>
  )
}
