// The notifications of the staff: what alert rules have reported. Its list is loaded when it is opened.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { refetchPaths } from '../api/use-api.ts'
import { useFeed } from '../api/use-feed.ts'
import { lazyComponent } from '../ui/lazy-component.ts'
import { BellButton } from './BellButton.tsx'

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
  return (
    <>
      <BellButton count={count} side={side} onOpen={() => setOpen(true)} />
      {isOpen && <NotificationsDialog onClose={() => setOpen(false)} />}
    </>
  )
}
