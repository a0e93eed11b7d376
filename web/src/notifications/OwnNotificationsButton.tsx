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
  /** Until when all had been seen as it was opened. */
  const [unseenSince, setUnseenSince] = useState<string>()
  const [seenUntil, setSeenUntil] = useScreenSetting('notifications.seen-until', '', isString)
  const list = useOwnNotifications()
  const newest = list.data?.[0]
  const open = () => {
    setUnseenSince(seenUntil)
    if (newest) setSeenUntil(newest.at)
  }
  return (
    <>
      <BellButton
        count={list.data?.filter(({ at }) => at > seenUntil).length ?? 0}
        side={side}
        onOpen={open}
      />
      {unseenSince !== undefined && (
        <OwnNotificationsDialog
          list={list}
          unseenSince={unseenSince}
          onClose={() => setUnseenSince(undefined)}
        />
      )}
    </>
  )
}
