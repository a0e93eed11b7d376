import { sessionsRoutes } from '@tollgate/contract/users/sessions.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { useScreenSetting } from '../../ui/screen-settings.ts'
import { t } from '../../language/t.ts'
import { counted } from '../../format/counted.ts'

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** Reports failed sign-ins since the person's last one. */
export function FailedSignIns() {
  const sessions = useApiQuery(sessionsRoutes.listSessions)
  const [seenAt, setSeenAt] = useScreenSetting('failed-sign-ins-seen', '', isString)
  const failures = sessions.data?.find(({ isCurrent }) => isCurrent)?.failuresBefore
  if (!failures || failures.lastAt === seenAt) return null
  const { count, lastAt, lastAddress } = failures
  return (
    <Notice
      tone="warn"
      title={counted(
        count,
        'A failed sign-in since your last one',
        '{count} failed sign-ins since your last one',
      )}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p>
          {t(
            'The last came from {lastAddress}, {lastAt}. If it was not you, look at Sessions in your account and change your password.',
            { lastAddress, lastAt: formatDateTime(lastAt) },
          )}
        </p>
        <Button size="sm" onClick={() => setSeenAt(lastAt)}>
          {t('Understood')}
        </Button>
      </div>
    </Notice>
  )
}
