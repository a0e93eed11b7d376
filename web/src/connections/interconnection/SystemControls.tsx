// Actions on all links at once: restart, common settings, health check.
import type { Connection } from '@tollgate/contract/connections/connections.ts'
import {
  interconnectionRoutes,
  linkConfigSchema,
  type LinkConfig,
  type LinkHealth,
} from '@tollgate/contract/connections/interconnection.ts'
import { HeartPulse, RotateCw, Settings2 } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { isToldAtFields, showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { formatSecond } from '../../format/dates.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Switch } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { NumberField } from '../../ui/Field.tsx'
import { toneIcons } from '../../ui/StatusIcon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { connectionPaths } from '../../gateway/queries.ts'
import { Unfetched } from '../../api/FetchFailure.tsx'
import { ConfirmMutation } from '../../api/ConfirmMutation.tsx'
import { formatWords } from '../../format/sentences.ts'
import { t } from '../../language/t.ts'
import { counted } from '../../format/counted.ts'

export function SystemControls({ connections }: { connections: readonly Connection[] | undefined }) {
  const [open, setOpen] = useState<'restart' | 'config' | 'health'>()
  const close = () => setOpen(undefined)
  const startedCount = connections?.filter(({ isWanted }) => isWanted).length
  return (
    <Card title={t('System Controls')}>
      <div className="flex flex-wrap items-center gap-2">
        <Button icon={RotateCw} isDisabled={startedCount === 0} onClick={() => setOpen('restart')}>
          {t('Restart All')}
        </Button>
        <Button icon={Settings2} onClick={() => setOpen('config')}>
          {t('Global Config')}
        </Button>
        <Button icon={HeartPulse} onClick={() => setOpen('health')}>
          {t('Health Check')}
        </Button>
        {startedCount === 0 && (
          <span className="text-ink-3">{t('No connection is started, so there is nothing to restart.')}</span>
        )}
      </div>
      {open === 'restart' && <RestartDialog count={startedCount} onClose={close} />}
      {open === 'config' && <ConfigDialog onClose={close} />}
      {open === 'health' && <HealthDialog onClose={close} />}
    </Card>
  )
}

function RestartDialog({ count, onClose }: { count: number | undefined; onClose: () => void }) {
  return (
    <ConfirmMutation
      onClose={onClose}
      title={
        count === undefined
          ? t('Restart all connections?')
          : counted(count, 'Restart 1 connection?', 'Restart {count} connections?')
      }
      confirmLabel={t('Restart All')}
      tone="primary"
      route={interconnectionRoutes.restartAll}
      refetch={connectionPaths}
      success={{ title: t('Restarting'), text: t('Every started connection binds again.') }}
      failure={false}
      call={{}}
    >
      {t(
        'Each finishes what is under way, unbinds and reconnects within seconds. Those that were disconnected on purpose stay disconnected.',
      )}
    </ConfirmMutation>
  )
}

function ConfigDialog({ onClose }: { onClose: () => void }) {
  const config = useApiQuery(interconnectionRoutes.getLinkConfig)
  if (config.data) return <ConfigForm config={config.data} onClose={onClose} />
  return (
    <Dialog isOpen onClose={onClose} title={t('Global Config')} closeLabel={t('Close')} width="md">
      <Unfetched of={config} title={t('Failed to fetch the configuration')} className="h-48" />
    </Dialog>
  )
}

const saveFailure = t('Failed to save the configuration')

function ConfigForm({ config, onClose }: { config: LinkConfig; onClose: () => void }) {
  const mayChange = useSession().may('adminSettings')
  const form = useApiForm(linkConfigSchema, config)
  const save = useApiMutation(interconnectionRoutes.putLinkConfig, {
    refetch: ['/api/interconnection', '/api/admin/settings'],
    success: t('Configuration saved successfully'),
    failure: saveFailure,
    isShownInPlace: true,
    onSuccess: onClose,
  })
  const [seen, setSeen] = useState(config)
  const takeSaved = () => {
    setSeen(config)
    form.reset(config)
    save.reset()
  }
  const submit = form.handleSubmit((body) =>
    save.mutate({ body: { ...body, seen } }, { onError: (error) => void showFieldErrors(form, error) }),
  )
  const { register } = form
  const { errors, isDirty } = form.formState
  const figure = (
    name: Exclude<keyof LinkConfig, 'isDelivering'>,
    label: string,
    hint: string,
    [min, max]: readonly [number, number],
  ) => (
    <NumberField
      label={label}
      hint={hint}
      min={min}
      max={max}
      readOnly={!mayChange}
      error={errors[name]?.message}
      {...register(name)}
    />
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Global Config')}
      description={t('What holds for all connections and endpoints')}
      width="md"
      isDirty={isDirty}
      closeLabel={mayChange ? t('Cancel') : t('Close')}
      consequence={t('Connections pick it up when they next bind; Restart All applies it now.')}
      {...(mayChange && {
        onSubmit: (event: React.FormEvent) => void submit(event),
        action: (
          <Button tone="primary" type="submit" isBusy={save.isPending} busyLabel={t('Saving...')}>
            {t('Save')}
          </Button>
        ),
      })}
    >
      <div className="space-y-4">
        <SaveFailure
          error={save.error}
          title={saveFailure}
          isAtFields={isToldAtFields(form, save.error)}
          onTakeSaved={takeSaved}
        />
        {!mayChange && <Notice title={t('Only an admin can change these')} />}
        <div className="grid gap-4 sm:grid-cols-2">
          {figure('enquireLinkSeconds', t('Enquire link (s)'), t('Silence before a link is asked'), [5, 300])}
          {figure('answerSeconds', t('Answer time-out (s)'), t('For messages that we send'), [2, 120])}
          {figure('sendWindow', t('Send window'), t('Messages that wait for answers'), [1, 100])}
          {figure(
            'retryPauseSeconds',
            t('Longest retry pause (s)'),
            t('Five times as long after a wrong password'),
            [5, 300],
          )}
        </div>
        <div className="space-y-1">
          <Switch label={t('Deliver to endpoints')} disabled={!mayChange} {...register('isDelivering')} />
          <p className="text-xs text-ink-3">{t('Off: deliveries wait at all endpoints; none is lost.')}</p>
        </div>
      </div>
    </Dialog>
  )
}

const healthLabels: Record<LinkHealth['state'], string> = {
  ok: t('Healthy'),
  warn: t('Needs attention'),
  bad: t('Failing'),
  idle: t('Idle'),
}

function HealthDialog({ onClose }: { onClose: () => void }) {
  const health = useApiQuery(interconnectionRoutes.checkHealth, {}, { isKept: false })
  const { data } = health
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Health Check')}
      description={
        data ? t('Checked {checkedAt}', { checkedAt: formatSecond(data.checkedAt) }) : t('Looking...')
      }
      width="lg"
      closeLabel={t('Close')}
      action={
        <Button
          icon={HeartPulse}
          isBusy={health.isFetching}
          busyLabel={t('Checking...')}
          onClick={() => void health.refetch()}
        >
          {t('Check again')}
        </Button>
      }
    >
      {data ? (
        <div className="space-y-3">
          <HealthBadge state={data.state} />
          <ul className="divide-y divide-line rounded-lg border border-line">
            {data.checks.map((check) => (
              <li
                key={`${check.kind} ${check.name}`}
                className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-2"
              >
                <span className="w-40 shrink-0 truncate font-medium">
                  {check.kind === 'gateway' ? t(check.name) : check.name}
                </span>
                <span className="min-w-0 grow basis-48 text-ink-2">
                  {formatWords(check.detailWords ?? check.detail)}
                </span>
                <HealthBadge state={check.state} />
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <Unfetched of={health} title={t('Failed to check')} className="h-48" />
      )}
    </Dialog>
  )
}

function HealthBadge({ state }: { state: LinkHealth['state'] }) {
  return (
    <Badge tone={state} icon={toneIcons[state]}>
      {healthLabels[state]}
    </Badge>
  )
}
