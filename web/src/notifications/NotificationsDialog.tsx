import { Link } from '@tanstack/react-router'
import { alertRoutes, type AlertNotification } from '@tollgate/contract/alerts/alerts.ts'
import { useEffect, useEffectEvent } from 'react'
import { Unfetched } from '../api/FetchFailure.tsx'
import { useApiMutation, useApiPages } from '../api/use-api.ts'
import { formatInstant } from '../format/dates.ts'
import { formatSentence, formatSentences } from '../format/sentences.ts'
import { objectPath, paths } from '../paths.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { StatusIcon, type StatusShape, type Tone } from '../ui/StatusIcon.tsx'
import { EmptyState } from '../ui/States.tsx'
import { t } from '../language/t.ts'

/** The notifications, the newest first. What is shown counts as read. */
export function NotificationsDialog({ onClose }: { onClose: () => void }) {
  const list = useApiPages(alertRoutes.listNotifications, { query: { limit: 30 } })
  const read = useApiMutation(alertRoutes.readNotifications, {
    refetch: ['/api/notifications/unread'],
    failure: t('Failed to mark the notifications as read'),
  })
  const newest = list.rows?.[0]
  const markRead = useEffectEvent((upTo: string) => read.mutate({ body: { upTo } }))
  const newestUnread = newest?.isUnread === true ? newest.id : undefined
  useEffect(() => {
    if (newestUnread !== undefined) markRead(newestUnread)
  }, [newestUnread])
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Notifications')}
      description={t('What the alert rules have reported, newest first.')}
      width="md"
      closeLabel={t('Close')}
      action={
        <Link to={paths.alerts} onClick={onClose} className={buttonClass('primary')}>
          {t('Open Alerts')}
        </Link>
      }
    >
      {list.rows ? (
        list.rows.length === 0 ? (
          <EmptyState title={t('No notifications yet')}>
            {t('Alert rules on the page Alerts say what is notified.')}
          </EmptyState>
        ) : (
          <>
            <ul aria-label={t('Notifications')} className="divide-y divide-line">
              {list.rows.map((notice) => (
                <Notice key={notice.id} notice={notice} onFollow={onClose} />
              ))}
            </ul>
            {list.hasMore && (
              <Button isBusy={list.isLoadingMore} busyLabel={t('Loading...')} onClick={list.loadMore}>
                {t('Show more results')}
              </Button>
            )}
          </>
        )
      ) : (
        <Unfetched
          of={list}
          title={t('Failed to fetch the notifications')}
          className="h-40 w-full rounded-lg"
        />
      )}
    </Dialog>
  )
}

const icons: Record<AlertNotification['severity'], readonly [Tone, StatusShape]> = {
  notice: ['warn', 'ring'],
  warning: ['warn', 'half'],
  critical: ['bad', 'x'],
}
/** The thing itself where the alert names it; else the page that says what to do. */
function hrefOf({ key, kind }: AlertNotification): string {
  const [, of, id] = /^(connection|endpoint):(\d+)$/.exec(key) ?? []
  if (id !== undefined) return objectPath(of === 'endpoint' ? 'endpoint' : 'connection', id)
  return kind === 'number_request' ? paths.numberRequests : paths.alerts
}

function titleOf(event: AlertNotification['event'], name: string): string {
  if (event === 'repeated') return t('Still open: {name}', { name })
  return event === 'recovered' ? t('Resolved: {name}', { name }) : name
}

function Notice({ notice, onFollow }: { notice: AlertNotification; onFollow: () => void }) {
  const { event, severity, words, at, isUnread } = notice
  const name = words?.name === undefined ? notice.name : formatSentence(words.name)
  const what = words === null ? notice.what : formatSentences(words.what)
  const [tone, shape] = event === 'recovered' ? (['ok', 'check'] as const) : icons[severity]
  return (
    <li className="flex gap-2.5 py-2.5">
      <span className="pt-0.5">
        <StatusIcon shape={shape} tone={tone} />
      </span>
      <div className="min-w-0 grow space-y-0.5">
        <p className={`wrap-anywhere ${isUnread ? 'font-semibold' : 'font-medium'}`}>
          <Link
            to={hrefOf(notice)}
            onClick={onFollow}
            className="rounded-xs text-accent-ink underline decoration-line-strong underline-offset-2 hover:decoration-current"
          >
            {titleOf(event, name)}
          </Link>
          {isUnread && <span className="sr-only"> {t('(unread)')}</span>}
        </p>
        {event !== 'recovered' && <p className="text-pretty wrap-anywhere text-ink-2">{what}</p>}
        <p className="text-xs text-ink-3">{formatInstant(at)}</p>
      </div>
    </li>
  )
}
