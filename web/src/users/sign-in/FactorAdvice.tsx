import { useMatchRoute } from '@tanstack/react-router'
import { useUser } from '../../api/session.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { isBoolean, useScreenSetting } from '../../ui/screen-settings.ts'
import { t } from '../../language/t.ts'

/** Recommends a second factor to staff without one, on the dashboard, until it is set up or dismissed. */
export function FactorAdvice({ onSetUp }: { onSetUp: () => void }) {
  const { role } = useUser()
  const matchRoute = useMatchRoute()
  const [isDismissed, setDismissed] = useScreenSetting('factor-advice-dismissed', false, isBoolean)
  const isStaff = role === 'admin' || role === 'support'
  const isHome = matchRoute({ to: paths.home }) !== false || matchRoute({ to: paths.dashboard }) !== false
  if (!isStaff || isDismissed || !isHome) return null
  return (
    <Notice title={t('Your account has no second factor')}>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p>
          {t(
            'Whoever learns your password can move money. An authenticator app or a passkey keeps them out.',
          )}
        </p>
        <span className="flex gap-2">
          <Button size="sm" tone="primary" onClick={onSetUp}>
            {t('Set up')}
          </Button>
          <Button size="sm" onClick={() => setDismissed(true)}>
            {t('Not now')}
          </Button>
        </span>
      </div>
    </Notice>
  )
}
