import { StatusIcon } from './StatusIcon.tsx'
import { t } from '../language/t.ts'

interface LiveBadgeProps {
  readonly state: 'connecting' | 'live' | 'reconnecting' | 'paused'
  /** "12 s ago": when the server last sent something. */
  readonly age?: string | undefined
}

/** Whether the screen is up to date. Outdated data is always marked. Visual language §10. */
export function LiveBadge({ state, age }: LiveBadgeProps) {
  if (state === 'live')
    return (
      <span className="inline-flex items-center gap-1.5 text-ink-3">
        <StatusIcon shape="dot" tone="ok" />
        {t('live')}
      </span>
    )
  if (state === 'connecting') return <span className="text-ink-3">{t('connecting')}</span>
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-warn-ink">
      <StatusIcon shape="dash" tone="warn" />
      {state === 'paused' ? pausedText(age) : reconnectingText(age)}
    </span>
  )
}

function pausedText(age: string | undefined): string {
  return age === undefined ? t('paused') : t('paused, last {age}', { age })
}

function reconnectingText(age: string | undefined): string {
  return age === undefined ? t('reconnecting') : t('reconnecting, last {age}', { age })
}
