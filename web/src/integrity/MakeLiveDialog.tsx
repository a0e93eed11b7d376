import type { BackTest } from '@tollgate/contract/integrity/back-tests.ts'
import { versionRoutes, type IntegrityVersion } from '@tollgate/contract/integrity/versions.ts'
import { settingsRoutes } from '@tollgate/contract/settings/settings.ts'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { t } from '../language/t.ts'
import type { FigureChange } from './rule-words.ts'
import { Changes, Tried } from './version-facts.tsx'
import { versionPaths } from './version-state.tsx'

interface MakeLiveProps {
  readonly version: IntegrityVersion
  readonly live: IntegrityVersion
  readonly changes: readonly FigureChange[]
  readonly test: BackTest | undefined
  readonly onClose: () => void
}

const waitHoursStandard = '24'

/** Says what happens before a version is made live: at once, or after a second admin and a wait. */
export function MakeLiveDialog({ version, live, changes, test, onClose }: MakeLiveProps) {
  const { id, isAsStrict } = version
  const settings = useApiQuery(settingsRoutes.listSettings)
  const hours =
    settings.data?.find(({ settingKey }) => settingKey === 'setting_wait_hours')?.settingValue ??
    waitHoursStandard
  return (
    <ConfirmMutation
      onClose={onClose}
      title={t('Make version {id} live?', { id })}
      confirmLabel={isAsStrict ? t('Make live') : t('Ask for approval')}
      busyLabel={t('Saving...')}
      tone="primary"
      route={versionRoutes.putVersionLive}
      call={{ params: { id: String(id) } }}
      refetch={versionPaths}
      success={isAsStrict ? t('Version {id} is live', { id }) : t('A second admin must approve the version')}
      failure={t('The version is not live')}
    >
      <div className="space-y-4">
        <p>
          {isAsStrict
            ? t(
                'It holds at least what version {live} holds, so it judges at once. Cases that exist stay as they are.',
                { live: live.id },
              )
            : t(
                'In at least one figure it is looser than version {live}, or may be. A second admin must approve it, and it begins in {hours} hours at the earliest. Until then version {live} goes on.',
                { live: live.id, hours },
              )}
        </p>
        <Changes changes={changes} />
        {test?.isDone && <Tried test={test} />}
      </div>
    </ConfirmMutation>
  )
}
