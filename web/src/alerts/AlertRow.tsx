import { Link } from '@tanstack/react-router'
import { endpointsRoutes } from '@tollgate/contract/endpoints/endpoints.ts'
import { alertRoutes, type Alert } from '@tollgate/contract/alerts/alerts.ts'
import { useUser } from '../api/session.tsx'
import { useApiMutation } from '../api/use-api.ts'
import { formatAge, formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { formatSentence, formatSentences } from '../format/sentences.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Menu } from '../ui/Menu.tsx'
import { useNow } from '../ui/use-now.ts'
import { fixesOf, type Fix } from './fixes.ts'
import { HourBars } from '../ui/charts/HourBars.tsx'
import { alertPaths } from './queries.ts'
import { kindLabels, severityLooks } from './words.ts'
import { t } from '../language/t.ts'

const hourMs = 3_600_000

interface AlertRowProps {
  readonly alert: Alert
  readonly onAddNumber: (number: string) => void
}

export function AlertRow({ alert, onAddNumber }: AlertRowProps) {
  const { role } = useUser()
  const { kind, severity, since, last, count, hours, about, words } = alert
  const { label, tone, icon } = severityLooks[severity]
  const name = words.name === undefined ? alert.name : formatSentence(words.name)
  const shownName = about['number'] === undefined ? name : formatPhone(name)
  const now = useNow(30_000)
  return (
    <li
      aria-label={`${kindLabels[kind]}: ${shownName}`}
      className="grid gap-x-6 gap-y-3 px-4 py-3.5 lg:grid-cols-[minmax(0,1fr)_11rem_17rem]"
    >
      <div className="min-w-0 space-y-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <Badge tone={tone} icon={icon}>
            {label}
          </Badge>
          <span
            className={
              about['number'] === undefined ? 'font-medium wrap-anywhere' : 'phone-number font-medium'
            }
          >
            {shownName}
          </span>
          <span className="text-xs text-ink-3">{kindLabels[kind]}</span>
        </p>
        <p className="text-pretty wrap-anywhere">{formatSentences(words.what)}</p>
        <p className="text-pretty text-ink-3">{formatSentence(words.advice)}</p>
        <Acknowledgement alert={alert} name={shownName} />
      </div>
      <div className="space-y-1 text-xs text-ink-3">
        {hours.length > 0 && (
          <HourBars
            hours={hours}
            label={t('By the hour, the last 24: {counts}', { counts: hours.join(', ') })}
          />
        )}
        {count !== null && hours.length > 0 && (
          <p className="text-ink-2">
            {kind === 'silence' || kind === 'burst'
              ? t('{count} in that hour', { count: formatCount(count) })
              : t('{count} in 24 h', { count: formatCount(count) })}
          </p>
        )}
        <p>
          {t('since {since}', { since: formatInstant(since) })}
          {last !== since && (
            <>
              <br />
              {t('last {last}', { last: formatAge(last, now) })}
            </>
          )}
        </p>
      </div>
      <div className="flex flex-wrap content-start items-start gap-2 lg:justify-end">
        {fixesOf(alert, role).map((fix, index) => (
          <FixButton
            key={fix.label}
            fix={fix}
            about={shownName}
            isMain={index === 0}
            onAddNumber={onAddNumber}
          />
        ))}
        <AcknowledgeMenu alert={alert} name={shownName} />
      </div>
    </li>
  )
}

interface FixButtonProps {
  readonly fix: Fix
  readonly about: string
  readonly isMain: boolean
  readonly onAddNumber: (number: string) => void
}

function FixButton({ fix, about, isMain, onAddNumber }: FixButtonProps) {
  const send = useApiMutation(endpointsRoutes.sendDeliveryNow, {
    refetch: alertPaths,
    success: t('It is sent now'),
    failure: t('Failed to send the delivery'),
  })
  const name = `${fix.label}: ${about}`
  const tone = isMain ? 'secondary' : 'ghost'
  if (fix.kind === 'link')
    return (
      <Link to={fix.to} aria-label={name} className={buttonClass(tone, 'sm')}>
        {fix.label}
      </Link>
    )
  const act =
    fix.kind === 'add_number'
      ? () => onAddNumber(fix.number)
      : () => send.mutate({ params: { id: fix.endpointId, deliveryId: fix.deliveryId } })
  return (
    <Button
      size="sm"
      tone={tone}
      aria-label={name}
      isBusy={send.isPending}
      busyLabel={t('Sending...')}
      onClick={act}
    >
      {fix.label}
    </Button>
  )
}

function Acknowledgement({ alert, name }: { alert: Alert; name: string }) {
  const withdraw = useApiMutation(alertRoutes.withdrawAcknowledgement, {
    refetch: alertPaths,
    failure: t('Failed to withdraw the acknowledgement'),
  })
  const { acknowledged, key } = alert
  if (acknowledged === null) return null
  const at = formatInstant(acknowledged.at)
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-xs text-ink-2">
      {acknowledged.until === null
        ? t('Acknowledged by {name} on {time}, until it changes.', { name: acknowledged.by, time: at })
        : t('Acknowledged by {name} on {time}, until {end}.', {
            name: acknowledged.by,
            time: at,
            end: formatInstant(acknowledged.until),
          })}
      <Button
        size="sm"
        tone="ghost"
        aria-label={t('Withdraw the acknowledgement of {name}', { name })}
        isBusy={withdraw.isPending}
        busyLabel={t('Withdrawing...')}
        onClick={() => withdraw.mutate({ query: { key } })}
      >
        {t('Withdraw')}
      </Button>
    </p>
  )
}

function AcknowledgeMenu({ alert, name }: { alert: Alert; name: string }) {
  const { key, acknowledged } = alert
  const acknowledge = useApiMutation(alertRoutes.acknowledgeAlert, {
    refetch: alertPaths,
    success: t('Acknowledged'),
    failure: t('Failed to acknowledge the alert'),
  })
  if (acknowledged !== null) return null
  const until = (ms: number | null) => () =>
    acknowledge.mutate({ body: { key, until: ms === null ? null : new Date(Date.now() + ms).toISOString() } })
  return (
    <Menu
      trigger={
        <Button
          size="sm"
          tone="ghost"
          aria-label={t('Acknowledge {name}', { name })}
          isBusy={acknowledge.isPending}
          busyLabel={t('Saving...')}
        >
          {t('Acknowledge')}
        </Button>
      }
      groups={[
        [
          { label: t('For an hour'), onSelect: until(hourMs) },
          { label: t('For a day'), onSelect: until(24 * hourMs) },
          { label: t('Until it changes'), onSelect: until(null) },
        ],
      ]}
    />
  )
}
