// The notifications of the staff: what alert rules have reported. Its list is loaded when it is opened.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { refetchPaths } from '../api/use-api.ts'
import { useFeed } from '../api/use-feed.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { t } from '../language/t.ts'

const NotificationsDialog = lazyComponent(() => import('./NotificationsDialog.tsx'), 'NotificationsDialog')

// A lost event of the feed is made up for by then.
const refetchMs = 60_000

async function countUnread() {
  const { alertRoutes } = await import('@tollgate/contract/alerts/alerts.ts')
  return call(alertRoutes.countNotifications)
}

export function NotificationsButton({ side = 'bottom' }: { side?: 'right' | 'bottom' }) {
  const [isOpen, setOpen] = useState(false)
  const client = useQueryClient()
  useFeed('notification', () => void refetchPaths(client, ['/api/notifications', '/api/alerts']))
  const { data } = useQuery({
    // The key that useApiQuery gives this route, so that a refetch of its path updates this count too.
    queryKey: ['/api/notifications/unread', null, null],
    queryFn: countUnread,
    refetchInterval: refetchMs,
  })
  const count = data?.count ?? 0
  const label =
    count === 0
      ? t('Notifications')
      : count > 99
        ? t('Notifications, more than 99 unread')
        : t('Notifications, {count} unread', { count })
  return (
    <span className="relative inline-flex">
      <IconButton
        icon={Bell}
        label={label}
        side={side}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      {count > 0 && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute -top-0.5 -end-0.5 grid h-4 min-w-4 place-items-center rounded-full bg-bad-soft px-0.5 text-[0.625rem] leading-none font-semibold text-bad-ink"
        >
          {count > 99 ? '99+' : count}
        </span>
      )}
      {isOpen && <NotificationsDialog onClose={() => setOpen(false)} />}
    </span>
  )
}
