// One outbound connection: its settings, its state and its actions.
import type { Connection } from '@tollgate/contract/connections/connections.ts'
import { useState } from 'react'
import { formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { HeartbeatAge } from '../ui/charts/HeartbeatAge.tsx'
import { Cure, LinkOverview } from '../ui/LinkOverview.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useNow } from '../ui/use-now.ts'
import { bindTypeLabels } from '../gateway/bind-types.ts'
import { ConnectionSwitch, ConnectionTests } from './ConnectionActs.tsx'
import { ConnectionDialog } from './ConnectionDialog.tsx'
import { DeleteConnectionDialog } from './DeleteConnectionDialog.tsx'
import {
  connectionError,
  cureLabels,
  cureOf,
  describeRetry,
  formatThroughput,
  type ConnectionCure,
} from '../gateway/link-state.ts'
import { trustFacts } from './TlsFields.tsx'
import { t } from '../language/t.ts'

/** A connection on its page: why it fails and what cures it, what may be done, and its figures. */
export function ConnectionOverview({ connection }: { connection: Connection }) {
  const now = useNow()
  const [open, setOpen] = useState<'edit' | 'delete' | ConnectionCure>()
  const close = () => setOpen(undefined)
  const field = open === 'host' || open === 'systemId' || open === 'password' ? open : undefined
  return (
    <LinkOverview
      fault={<FaultNotice connection={connection} now={now} onCure={setOpen} />}
      acts={
        <>
          <ConnectionTests connection={connection} />
          <ConnectionSwitch connection={connection} isUp={connection.isWanted} />
        </>
      }
      onOpen={setOpen}
      facts={connectionFacts(connection, now)}
    >
      {(open === 'edit' || field !== undefined) && (
        <ConnectionDialog connection={connection} onClose={close} {...(field && { field })} />
      )}
      {open === 'delete' && <DeleteConnectionDialog connection={connection} onClose={close} />}
    </LinkOverview>
  )
}

function connectionFacts(connection: Connection, now: number) {
  return [
    {
      label: t('Protocol'),
      value: connection.useTls
        ? t('SMPP {version} over TLS', { version: connection.interfaceVersion })
        : t('SMPP {version}', { version: connection.interfaceVersion }),
    },
    ...trustFacts(connection),
    { label: t('Bind'), value: bindTypeLabels[connection.bindType] },
    { label: t('Connection attempts'), value: formatCount(connection.attempts) },
    {
      label: t('Last attempt'),
      value: connection.lastAttempt ? formatInstant(connection.lastAttempt) : t('Never'),
    },
    { label: t('Heartbeat'), value: <HeartbeatAge at={connection.lastHeartbeat} now={now} /> },
    {
      label: t('Throughput'),
      value: formatThroughput(connection),
    },
    {
      // Those that were sent stand above.
      label: t('Messages Received (24h)'),
      value: formatCount(connection.received24h),
    },
  ]
}

interface FaultNoticeProps {
  readonly connection: Connection
  readonly now: number
  readonly onCure: (cure: ConnectionCure) => void
}

function FaultNotice({ connection, now, onCure }: FaultNoticeProps) {
  const fault = connectionError(connection)
  if (fault === '') return null
  const cure = cureOf(connection)
  return (
    <Notice tone={connection.status === 'error' ? 'bad' : 'warn'} title={fault}>
      {describeRetry(connection, now)}
      {cure && <Cure label={cureLabels[cure]} onClick={() => onCure(cure)} />}
    </Notice>
  )
}
