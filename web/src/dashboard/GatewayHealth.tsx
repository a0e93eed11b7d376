import type { SmppStatus } from '@tollgate/contract/gateway/gateway.ts'
import type { ReactNode } from 'react'
import { useSession } from '../api/session.tsx'
import { formatSecond } from '../format/dates.ts'
import { formatAmountFigure, formatDecimal, unknownFigure } from '../format/money.ts'
import { formatWords } from '../format/sentences.ts'
import { Badge, StatusBadge } from '../ui/Badge.tsx'
import { Card } from '../ui/Card.tsx'
import { classNames } from '../ui/class-names.ts'
import { formatBoundMs } from '../gateway/accept-pace.ts'
import { useSmppStatus } from '../gateway/smpp-status.ts'
import { Unfetched } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

/** Spec §2: the SMPP server and its port, CDR collection, and outbound connections. */
export function GatewayHealth() {
  const status = useSmppStatus()
  const isStaff = useSession().may('interconnectionApi')
  const { data } = status
  return (
    <Card
      title={t('Gateway Health')}
      {...(data?.cdr.messagesPerSecond !== undefined && {
        foot: <Pace cdr={data.cdr} perSecond={data.cdr.messagesPerSecond} />,
      })}
    >
      {data ? (
        <>
          <HealthLines status={data} isStale={status.isError} />
          <RefreshNote of={[status]} />
        </>
      ) : (
        <Unfetched
          of={status}
          title={t('Failed to fetch SMPP status')}
          className={classNames('w-full', isStaff ? 'h-79.5' : 'h-40')}
        />
      )}
    </Card>
  )
}

function HealthLines({
  status: { server, outbound, ledger },
  isStale,
}: {
  status: SmppStatus
  isStale: boolean
}) {
  const isStaff = useSession().may('interconnectionApi')
  const failing = outbound.connections.find(({ status }) => status === 'error')
  const hasOutbound = outbound.connections.length > 0 || outbound.failing
  return (
    <ul className="divide-y divide-line">
      <HealthLine title={t('SMPP server')} note={t('Port {port}', { port: server.port })}>
        {isStale ? (
          <StatusBadge kind="gateway" status="unknown" />
        ) : (
          <StatusBadge kind="account" status={server.running ? 'active' : 'inactive'} />
        )}
      </HealthLine>
      <HealthLine title={t('CDR collection')} note={t('Auto-saving enabled')}>
        {isStale ? (
          <StatusBadge kind="gateway" status="unknown" />
        ) : (
          // A record is stored before its message is answered. So the server collects while it accepts messages.
          <StatusBadge kind="worker" status={server.running ? 'running' : 'stopped'} />
        )}
      </HealthLine>
      {isStaff && hasOutbound && (
        <HealthLine title={t('Outbound gateway')} note={outboundNote(outbound, failing)}>
          {isStale ? (
            <StatusBadge kind="gateway" status="unknown" />
          ) : outbound.failing ? (
            <Badge tone="bad" icon="x">
              {t('Failed')}
            </Badge>
          ) : (
            <OutboundBadge links={outbound.connections} />
          )}
        </HealthLine>
      )}
      {ledger && (
        <HealthLine title={t('Ledger')} note={ledgerNote(ledger)}>
          {isStale ? (
            <StatusBadge kind="gateway" status="unknown" />
          ) : (
            <Badge tone={ledger.balanced ? 'ok' : 'bad'} icon={ledger.balanced ? 'check' : 'x'}>
              {ledger.balanced ? t('Balanced') : t('Out of balance')}
            </Badge>
          )}
        </HealthLine>
      )}
    </ul>
  )
}

/** An operator must see at once when the ledger does not balance. */
function ledgerNote({
  balanced,
  imbalance,
  parkedCount,
  checkedAt,
}: NonNullable<SmppStatus['ledger']>): string {
  if (balanced) return t('Debits equal credits, checked {checkedAt}', { checkedAt: formatSecond(checkedAt) })
  return counted(
    parkedCount,
    'Out by {imbalance} USDT; payments to 1 account stopped',
    'Out by {imbalance} USDT; payments to {count} accounts stopped',
    { imbalance: formatAmountFigure(imbalance) },
  )
}

type OutboundLink = SmppStatus['outbound']['connections'][number]

function OutboundBadge({ links }: { links: readonly OutboundLink[] }) {
  const isAny = (expected: OutboundLink['status']) => links.some(({ status }) => status === expected)
  const status = isAny('connected') ? 'connected' : isAny('connecting') ? 'connecting' : 'disconnected'
  return <StatusBadge kind="connection" status={status} />
}

function outboundNote({ connections }: SmppStatus['outbound'], failing: OutboundLink | undefined): string {
  if (!failing) return connections.map(({ name }) => name).join(', ')
  return failing.errorCode === null
    ? `${failing.name} · ${formatWords(failing.errorText)}`
    : t('{name} · Error Code {code}: {text}', {
        name: failing.name,
        code: failing.errorCode,
        text: formatWords(failing.errorText),
      })
}

function HealthLine({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  return (
    <li className="flex items-center justify-between gap-4 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p className="text-ink-3">{note}</p>
      </div>
      {children}
    </li>
  )
}

function formatMs(ms: number | null): string {
  return ms === null ? unknownFigure : formatBoundMs(ms)
}

/** How fast messages were accepted in the last minute; "–" without messages. For staff. */
function Pace({ cdr, perSecond }: { cdr: SmppStatus['cdr']; perSecond: number }) {
  const cells = [
    { label: t('Accept, p50'), value: formatMs(cdr.acceptP50Ms) },
    { label: 'p99', value: formatMs(cdr.acceptP99Ms) },
    { label: t('Now'), value: t('{rate} msg/s', { rate: formatDecimal(perSecond, 2) }) },
  ]
  return (
    <dl className="grid grid-cols-3 gap-4">
      {cells.map(({ label, value }) => (
        <div key={label}>
          <dt className="text-xs text-ink-3">{label}</dt>
          <dd className="font-semibold">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
