// The alert rules of the admins.
import { alertRoutes, type alertRuleBody, type AlertRule } from '@tollgate/contract/alerts/alerts.ts'
import { Mail, Plus } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { Unfetched } from '../api/FetchFailure.tsx'
import { useUser } from '../api/session.tsx'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatCount } from '../format/money.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Notice } from '../ui/Notice.tsx'
import { EmptyState } from '../ui/States.tsx'
import { rulePaths } from './queries.ts'
import { RuleDialog } from './RuleDialog.tsx'
import { kindLabels, scopeLabels, severityLooks } from './words.ts'
import { zoneName } from '../language/reader.ts'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

type Opened = { readonly kind: 'add' } | { readonly kind: 'edit' | 'delete'; readonly rule: AlertRule }

/** What most operators want to be told: links that fail, and money that waits or does not balance. */
const usualRule = (mailTo: string): z.input<typeof alertRuleBody> => ({
  name: t('Links and money'),
  kinds: [
    'connection',
    'endpoint',
    'provider',
    'silence',
    'parked_account',
    'cycle',
    'wallet',
    'late_payment',
    'approval',
  ],
  minSeverity: 'notice',
  threshold: 1,
  forMinutes: 5,
  repeatMinutes: 0,
  inConsole: true,
  mailTo: [mailTo],
  endpointId: null,
  quietFrom: '',
  quietTo: '',
  timeZone: zoneName(),
  isOn: true,
})

export function RulesTab() {
  const list = useApiQuery(alertRoutes.listAlertRules)
  const [opened, setOpened] = useState<Opened>()
  const { email } = useUser()
  const usual = useApiMutation(alertRoutes.createAlertRule, {
    refetch: rulePaths,
    success: t('Rule added'),
    failure: t('Failed to add the rule'),
  })
  const close = () => setOpened(undefined)
  if (list.data === undefined)
    return (
      <Unfetched of={list} title={t('Failed to fetch the alert rules')} className="h-40 w-full rounded-lg" />
    )
  const { rules, hasMail } = list.data
  const add = (
    <Button tone="primary" icon={Plus} onClick={() => setOpened({ kind: 'add' })}>
      {t('Add Rule')}
    </Button>
  )
  return (
    <div className="space-y-4">
      {!hasMail && rules.some(({ mailTo }) => mailTo.length > 0) && (
        <Notice tone="warn" title={t('No mail server is set up')}>
          {t(
            'Rules notify in the console and call webhooks, but their mails are not sent. Set SMTP_URL to send them.',
          )}
        </Notice>
      )}
      {rules.length === 0 ? (
        <Card title={t('Alert rules')}>
          <EmptyState
            title={t('Nobody is notified yet')}
            action={
              <div className="flex flex-wrap justify-center gap-2">
                {hasMail && email !== '' && (
                  <Button
                    tone="primary"
                    icon={Mail}
                    isBusy={usual.isPending}
                    onClick={() => usual.mutate({ body: usualRule(email) })}
                  >
                    {t('Mail me when a link fails or money waits')}
                  </Button>
                )}
                <Button icon={Plus} onClick={() => setOpened({ kind: 'add' })}>
                  {t('Add Rule')}
                </Button>
              </div>
            }
          >
            {t('A rule notifies people of alerts in the console, by email or by a webhook.')}
          </EmptyState>
        </Card>
      ) : (
        <Card title={t('Alert rules')} aside={add} isFlush>
          <ul className="divide-y divide-line">
            {rules.map((rule) => (
              <RuleRow key={rule.id} rule={rule} onOpen={setOpened} />
            ))}
          </ul>
        </Card>
      )}
      {opened?.kind === 'add' && <RuleDialog opened={undefined} latest={undefined} onClose={close} />}
      {opened?.kind === 'edit' && (
        <RuleDialog
          opened={opened.rule}
          latest={rules.find(({ id }) => id === opened.rule.id)}
          onClose={close}
        />
      )}
      {opened?.kind === 'delete' && (
        <ConfirmMutation
          title={t('Delete {name}?', { name: opened.rule.name })}
          tone="danger"
          route={alertRoutes.deleteAlertRule}
          call={{ params: { id: opened.rule.id } }}
          refetch={rulePaths}
          success={t('Rule deleted')}
          failure={t('Failed to delete the rule')}
          confirmLabel={t('Delete')}
          busyLabel={t('Deleting...')}
          onClose={close}
        >
          {t('It no longer notifies anybody, not even that its open alerts are resolved.')}
        </ConfirmMutation>
      )}
    </div>
  )
}

function RuleRow({ rule, onOpen }: { rule: AlertRule; onOpen: (opened: Opened) => void }) {
  const { name, isOn, openCount } = rule
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-4 py-3">
      <div className="min-w-0 grow basis-80 space-y-0.5">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium wrap-anywhere">{name}</span>
          {!isOn && (
            <Badge tone="idle" icon="minus">
              {t('Off')}
            </Badge>
          )}
          {openCount > 0 && (
            <Badge tone="warn" icon="half">
              {counted(openCount, '1 open alert', '{count} open alerts')}
            </Badge>
          )}
        </p>
        <p className="text-pretty text-ink-2">{conditionOf(rule)}</p>
        <p className="text-pretty wrap-anywhere text-ink-3">{waysOf(rule)}</p>
      </div>
      <div className="flex gap-2">
        <Button
          size="sm"
          aria-label={t('Edit {name}', { name })}
          onClick={() => onOpen({ kind: 'edit', rule })}
        >
          {t('Edit')}
        </Button>
        <Button
          size="sm"
          tone="ghost"
          aria-label={t('Delete {name}', { name })}
          onClick={() => onOpen({ kind: 'delete', rule })}
        >
          {t('Delete')}
        </Button>
      </div>
    </li>
  )
}

function conditionOf({ kinds, scope, scopeName, minSeverity, threshold, forMinutes }: AlertRule): string {
  return [
    kinds.length === 0 ? t('Every kind of alert') : kinds.map((kind) => kindLabels[kind]).join(', '),
    scope !== null && `${scopeLabels[scope.kind]}: ${scopeName || t('deleted')}`,
    minSeverity !== 'notice' &&
      t('severity: {severity} or higher', { severity: severityLooks[minSeverity].label }),
    threshold > 1 && t('at least {count}', { count: formatCount(threshold) }),
    forMinutes > 0 && t('for {minutes} min', { minutes: forMinutes }),
  ]
    .filter((part) => part !== false)
    .join(' · ')
}

function waysOf(rule: AlertRule): string {
  const { inConsole, mailTo, endpointId, endpointName, repeatMinutes, quietFrom, quietTo, timeZone } = rule
  return [
    inConsole && t('console'),
    mailTo.length > 0 && t('email to {addresses}', { addresses: mailTo.join(', ') }),
    endpointId !== null && t('webhook {endpointName}', { endpointName }),
    repeatMinutes > 0 && t('again every {repeatMinutes} min', { repeatMinutes }),
    quietFrom !== '' &&
      t('quiet from {quietFrom} to {quietTo} ({timeZone})', { quietFrom, quietTo, timeZone }),
  ]
    .filter((way) => way !== false)
    .join(' · ')
}
