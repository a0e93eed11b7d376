// One version: what differs from the live one, what a back-test says, all figures, and its way to being live.
import { backTestDaysMax, backTestRoutes } from '@tollgate/contract/integrity/back-tests.ts'
import type { IntegrityVersion } from '@tollgate/contract/integrity/versions.ts'
import { useState } from 'react'
import { useSession } from '../api/session.tsx'
import { useApiMutation } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { t } from '../language/t.ts'
import { Button } from '../ui/Button.tsx'
import { Drawer, DrawerHead } from '../ui/Drawer.tsx'
import { Fold } from '../ui/Fold.tsx'
import { Notice } from '../ui/Notice.tsx'
import { MakeLiveDialog } from './MakeLiveDialog.tsx'
import { figureChanges, figureTexts, thresholdGroups } from './rule-words.ts'
import { Changes, Tried } from './version-facts.tsx'
import { isTried, useBackTests, VersionBadge, versionPaths } from './version-state.tsx'

interface VersionDrawerProps {
  readonly version: IntegrityVersion
  readonly live: IntegrityVersion
  readonly onClose: () => void
}

export function VersionDrawer({ version, live, onClose }: VersionDrawerProps) {
  const { may } = useSession()
  const { stateOf } = useBackTests()
  const [isAsking, setAsking] = useState(false)
  const test = stateOf(version)
  const start = useApiMutation(backTestRoutes.addBackTest, {
    refetch: versionPaths,
    failure: t('The back-test was not started'),
  })
  const texts = figureTexts(version.thresholds)
  const changes = figureChanges(figureTexts(live.thresholds), texts)
  const canGoLive = !version.isLive && version.pending === null
  const tried = isTried(version, test)
  const isUnderWay = test !== undefined && !test.isDone
  return (
    <Drawer
      isOpen
      onClose={onClose}
      label={t('Version {id}', { id: version.id })}
      foot={
        canGoLive && (
          <>
            {tried && may('adminSettings') && (
              <Button tone="primary" onClick={() => setAsking(true)}>
                {t('Make live')}
              </Button>
            )}
            {!isUnderWay && (
              <Button
                {...(!tried && { tone: 'primary' as const })}
                isBusy={start.isPending}
                busyLabel={t('Saving...')}
                onClick={() =>
                  start.mutate({ body: { versionId: String(version.id), days: String(backTestDaysMax) } })
                }
              >
                {t('Start back-test')}
              </Button>
            )}
          </>
        )
      }
    >
      <DrawerHead
        // A drawer's subject runs from left to right, as numbers do; this one has words.
        subject={<bdi>{t('Version {id}', { id: version.id })}</bdi>}
        badge={<VersionBadge version={version} test={test} />}
        time={formatDateTime(version.madeAt)}
      />
      <div className="space-y-5">
        <p className="break-words">
          <bdi>{version.note}</bdi>
        </p>
        {canGoLive && !tried && (
          <Notice tone="warn" title={t('A back-test comes first')}>
            {t(
              'Before a version goes live somebody has seen what it would have held. The test takes the last {count} days, in the time that messages leave.',
              { count: backTestDaysMax },
            )}
          </Notice>
        )}
        {test?.isDone && <Tried test={test} />}
        {!version.isLive && (
          <section className="space-y-2">
            <h3 className="text-md">{t('What differs from version {id}, which is live', { id: live.id })}</h3>
            <Changes changes={changes} />
          </section>
        )}
        <Fold label={t('All figures')} startsOpen={version.isLive}>
          <div className="space-y-4">
            {thresholdGroups.map(({ rule, label, figures }) => (
              <section key={rule} className="space-y-2">
                <h3 className="text-ink-3">{label}</h3>
                <ul className="space-y-1">
                  {figures.map(({ key, label: name, unit }) => (
                    <FigureLine key={key} label={name} value={`${texts[key] ?? ''} ${unit}`} />
                  ))}
                </ul>
              </section>
            ))}
          </div>
        </Fold>
      </div>
      {isAsking && (
        <MakeLiveDialog
          version={version}
          live={live}
          changes={changes}
          test={test}
          onClose={() => setAsking(false)}
        />
      )}
    </Drawer>
  )
}

function FigureLine({ label, value }: { label: string; value: string }) {
  return (
    <li className="flex items-baseline justify-between gap-4">
      <span className="min-w-0">{label}</span>
      <span className="shrink-0">{value}</span>
    </li>
  )
}
