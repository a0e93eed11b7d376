import type { SmppStatus } from '@tollgate/contract/gateway/gateway.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../api/session.tsx'
import { formatAge } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { formatWords } from '../format/sentences.ts'
import { paths } from '../paths.ts'
import { Notice } from '../ui/Notice.tsx'
import { useNow } from '../ui/use-now.ts'
import { useSmppStatus } from '../gateway/smpp-status.ts'
import { HowToBind } from '../smpp-traffic/HowToBind.tsx'
import { StatusUnknown } from '../gateway/StatusUnknown.tsx'
import { ObjectLink } from '../api/ObjectLink.tsx'
import { Unfetched } from '../api/FetchFailure.tsx'
import { staleWords } from '../api/RefreshNote.tsx'
import { t, joined } from '../language/t.ts'
import { tNodes } from '../language/t-nodes.tsx'
import { counted } from '../format/counted.ts'

/** Spec §2, Connections: how to bind, the viewer's credentials, and failing outbound connections. */
export function BindingTab() {
  const status = useSmppStatus()
  const isStaff = useSession().may('interconnectionApi')
  const stale = staleWords([status])
  if (status.data)
    return (
      <div className="space-y-4">
        {isStaff && stale === undefined && status.data.outbound.failing && (
          <FailingOutbound outbound={status.data.outbound} />
        )}
        <ServerNotice status={status.data} stale={stale} isStaff={isStaff} />
        <HowToBind />
      </div>
    )
  return (
    <Unfetched
      isCard
      of={status}
      title={t('Failed to fetch SMPP status')}
      className="h-48 w-full rounded-lg"
    />
  )
}

type Failing = SmppStatus['outbound']['connections'][number]

function FailingOutbound({ outbound }: { outbound: SmppStatus['outbound'] }) {
  const now = useNow()
  const failing = outbound.connections.filter(({ status }) => status === 'error')
  return (
    <Notice tone="bad" title={t('Outbound gateway authentication is failing')} isAlert>
      <ul className="space-y-1">
        {failing.map((link) => (
          <li key={link.id}>
            <ObjectLink kind="connection" id={link.id}>
              {link.name}
            </ObjectLink>
            : {failureText(link, now)}
          </li>
        ))}
      </ul>
      <p className="pt-1">
        {tNodes('The system keeps retrying in the background. Correct the credentials in {page}.', {
          page: <PageLink to={paths.interconnectionApi}>{t('Interconnection API')}</PageLink>,
        })}
      </p>
    </Notice>
  )
}

function failureText({ errorCode, errorText, attempts, lastAttempt }: Failing, now: number): string {
  const error =
    errorCode === null
      ? formatWords(errorText)
      : t('Error Code {code}: {text}', { code: errorCode, text: formatWords(errorText) })
  return joined(
    error.endsWith('.') ? error : `${error}.`,
    lastAttempt === null
      ? counted(attempts, '1 attempt.', '{count} attempts.')
      : counted(attempts, '1 attempt, {age}.', '{count} attempts, the last {age}.', {
          age: formatAge(lastAttempt, now),
        }),
  )
}

function PageLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="font-medium text-accent-ink underline underline-offset-2">
      {children}
    </Link>
  )
}

interface ServerNoticeProps {
  readonly status: SmppStatus
  readonly stale: string | undefined
  readonly isStaff: boolean
}

function ServerNotice({ status: { server, outbound }, stale, isStaff }: ServerNoticeProps) {
  if (stale !== undefined) return <StatusUnknown since={stale} />
  if (!server.running)
    return (
      <Notice tone="warn" title={t('The SMPP server is not running')} isAlert>
        {t('Binds are refused until it runs again. Peers keep their messages and send them then.')}
      </Notice>
    )
  return (
    <Notice tone="ok" title={t('SMPP server listening on port {port}', { port: server.port })}>
      {joined(
        server.connections === 0
          ? t('Nobody is bound now.')
          : counted(server.connections, '1 peer is bound now.', '{count} peers are bound now.'),
        ...(isStaff
          ? [
              t('{up} of our {count} connections to other gateways are up.', {
                up: formatCount(outbound.connections.filter((link) => link.status === 'connected').length),
                count: formatCount(outbound.connections.length),
              }),
            ]
          : []),
        t('All premium SMS traffic is recorded automatically.'),
      )}
    </Notice>
  )
}
