// A client's notifications: payments, answers, numbers and rates.
import { useState } from 'react'
import { isString, useScreenSetting } from '../ui/screen-settings.ts'
import { lazyComponent } from '../ui/lazy-component.ts'
import { BellButton } from './BellButton.tsx'
import { useOwnNotifications } from './own.ts'

const OwnNotificationsDialog = lazyComponent(
  () => import('./OwnNotificationsDialog.tsx'),
  'OwnNotificationsDialog',
)

export function OwnNotificationsButton({ side = 'bottom' }: { side?: 'right' | 'bottom' }) {
  const [isOpen, setOpen] = useState(false)
  const [seenUntil, setSeenUntil] = useScreenSetting('notifications.seen-until', '', isString)
  const list = useOwnNotifications()
  const newest = list.data?.[0]
  const open = () => {
    setOpen(true)
    if (newest) setSeenUntil(newest.at)
  }
  return (
    <>
      <BellButton
        count={list.data?.filter(({ at }) => at > seenUntil).length ?? 0}
        side={side}
        onOpen={open}
      />
      {isOpen && <OwnNotificationsDialog list={list} onClose={() => setOpen(false)} />}
    </>
  )
}
