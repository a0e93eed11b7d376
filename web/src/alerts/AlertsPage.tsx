// What is wrong now, each with its fix, and the rules by which people are told.
import { alertRoutes, type Alert, type UnlistedAlerts } from '@tollgate/contract/alerts/alerts.ts'
import { useState } from 'react'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatCount } from '../format/money.ts'
import { AddNumberDialog } from '../numbers/number/NumberForm.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Notice } from '../ui/Notice.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { EmptyState, Skeleton, TabSkeleton } from '../ui/States.tsx'
import { useUrlState } from '../url-state.ts'
import { alertPaths, alertPollMs } from './queries.ts'
import { alertSearch } from './search.ts'
import { AlertRow } from './AlertRow.tsx'
import { kindLabels } from './words.ts'
import { t } from '../language/t.ts'

const RulesTab = lazyComponent(() => import('./RulesTab.tsx'), 'RulesTab')

export function AlertsPage() {
  const url = useUrlState(alertSearch)
  const { tab } = url.state
  const { may } = useSession()
  const rules = may('adminSettings') && <RulesTab waiting={<TabSkeleton />} />
  return (
    <>
      <PageHeader title={t('Alerts')}>
        {t('What is refused, failing, silent, late or waiting for somebody, and how to fix it')}
      </PageHeader>
      {/* A link to the rules finds them first. */}
      {tab === 'rules' && rules}
      <AlertsNow />
      {tab === 'now' && rules}
    </>
  )
}

function AlertsNow() {
  const list = useApiQuery(alertRoutes.listAlerts, {}, { refetchIntervalMs: alertPollMs })
  const [adding, setAdding] = useState<string>()
  if (list.data === undefined)
    return list.error ? (
      <FetchFailure of={list} title={t('Failed to fetch the alerts')} />
    ) : (
      // On a phone as high as the screen, so that the rules below do not jump.
      <Skeleton className="h-64 w-full rounded-lg max-sm:h-svh" />
    )
  const { alerts, unlisted, missing } = list.data
  const open = alerts.filter(({ severity, acknowledged }) => severity !== 'notice' && acknowledged === null)
  const dealtWith = alerts.filter(({ acknowledged }) => acknowledged !== null)
  const waiting = alerts.filter(
    ({ severity, acknowledged }) => severity === 'notice' && acknowledged === null,
  )
  return (
    <div className="space-y-4">
      {list.error && (
        <Notice tone="warn" title={t('The list could not be read again')} isAlert>
          {t('What you see is the last answer. It is retried automatically.')}
        </Notice>
      )}
      {missing.length > 0 && (
        <Notice
          tone="warn"
          title={t('Could not be checked: {names}', { names: missing.map((name) => t(name)).join(', ') })}
        >
          {t('These could not be checked in time, so some alerts may be missing.')}
        </Notice>
      )}
      {alerts.length === 0 && missing.length === 0 && (
        <Card>
          <EmptyState title={t('Nothing is wrong')}>
            {t('What is refused, failing or waiting appears here, with how to fix it.')}
          </EmptyState>
        </Card>
      )}
      <AlertGroup
        title={t('To fix')}
        alerts={open}
        unlisted={unlisted.filter(({ severity }) => severity !== 'notice')}
        onAddNumber={setAdding}
      />
      <AlertGroup
        title={t('Waiting or worth a look')}
        alerts={waiting}
        unlisted={unlisted.filter(({ severity }) => severity === 'notice')}
        onAddNumber={setAdding}
      />
      <AlertGroup title={t('Acknowledged')} alerts={dealtWith} onAddNumber={setAdding} />
      {adding !== undefined && (
        <AddNumberDialog number={adding} alsoRefetch={alertPaths} onClose={() => setAdding(undefined)} />
      )}
    </div>
  )
}

interface AlertGroupProps {
  readonly title: string
  readonly alerts: readonly Alert[]
  readonly unlisted?: readonly UnlistedAlerts[]
  readonly onAddNumber: (number: string) => void
}

// Hundreds of rows take the browser a second, and nobody reads them all.
const shownAtOnce = 50

function AlertGroup({ title, alerts, unlisted = [], onAddNumber }: AlertGroupProps) {
  const [shownMax, setShownMax] = useState(shownAtOnce)
  if (alerts.length === 0 && unlisted.length === 0) return null
  const total = unlisted.reduce((sum, { count }) => sum + count, alerts.length)
  const more = alerts.length - shownMax
  return (
    <Card title={title} aside={formatCount(total)} isFlush>
      <ul className="divide-y divide-line">
        {alerts.slice(0, shownMax).map((alert) => (
          <AlertRow key={alert.key} alert={alert} onAddNumber={onAddNumber} />
        ))}
      </ul>
      {more > 0 && (
        <p className="border-t border-line px-4 py-2">
          <Button tone="ghost" size="sm" onClick={() => setShownMax(shownMax + shownAtOnce)}>
            {t('Show {count} more', { count: String(Math.min(more, shownAtOnce)) })}
          </Button>
        </p>
      )}
      {more <= 0 &&
        unlisted.map(({ kind, severity, count }) => (
          <p key={`${kind} ${severity}`} className="border-t border-line px-4 py-2.5 text-ink-3">
            {t('{kind}: {count} more are not listed. They appear as those above are resolved.', {
              kind: kindLabels[kind],
              count: formatCount(count),
            })}
          </p>
        ))}
    </Card>
  )
}
