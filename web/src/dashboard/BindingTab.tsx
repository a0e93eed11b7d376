import type { SmppStatus } from '@tollgate/contract/gateway/gateway.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession, useUser } from '../api/session.tsx'
import { formatAge } from '../format/dates.ts'
import { formatWords } from '../format/sentences.ts'
import { BindDetails } from '../users/BindDetails.tsx'
import { paths } from '../paths.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Skeleton } from '../ui/States.tsx'
import { useNow } from '../ui/use-now.ts'
import { useSmppStatus } from '../gateway/smpp-status.ts'
import { StatusUnknown } from '../gateway/StatusUnknown.tsx'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { staleWords } from '../api/RefreshNote.tsx'
import { t, joined } from '../language/t.ts'
import { tNodes } from '../language/t-nodes.tsx'
import { counted } from '../format/counted.ts'

/** Spec §2, Connections: how to bind, the viewer's credentials, and failing outbound connections. */
export function BindingTab() {
  const status = useSmppStatus()
  const stale = staleWords([status])
  if (status.data)
    return (
      <div className="space-y-4">
        {stale === undefined && status.data.outbound.failing && (
          <FailingOutbound outbound={status.data.outbound} />
        )}
        <ServerNotice status={status.data} stale={stale} />
        <div className="grid gap-4 lg:grid-cols-2">
          <OwnCredentials />
          <HowToBind status={status.data} />
        </div>
      </div>
    )
  if (status.error)
    return (
      <Card>
        <FetchFailure of={status} title={t('Failed to fetch SMPP status')} />
      </Card>
    )
  return <Skeleton className="h-48 w-full rounded-lg" />
}

type Failing = SmppStatus['outbound']['connections'][number]

function FailingOutbound({ outbound }: { outbound: SmppStatus['outbound'] }) {
  const isStaff = useSession().may('interconnectionApi')
  const now = useNow()
  const failing = outbound.connections.filter(({ status }) => status === 'error')
  if (!isStaff)
    return (
      <Notice tone="bad" title={t('An outbound gateway is failing')} isAlert>
        {t(
          'A link from this gateway to an outside one cannot sign in. Messages that you send here are still taken and recorded.',
        )}
      </Notice>
    )
  return (
    <Notice tone="bad" title={t('Outbound gateway authentication is failing')} isAlert>
      <ul className="space-y-1">
        {failing.map((link) => (
          <li key={link.id}>
            <span className="font-medium">{link.name}</span>: {failureText(link, now)}
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

function ServerNotice({ status: { server }, stale }: { status: SmppStatus; stale: string | undefined }) {
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
        t('All premium SMS traffic is recorded automatically.'),
      )}
    </Notice>
  )
}

function OwnCredentials() {
  const user = useUser()
  const { may } = useSession()
  const manage = may('smppControl') ? (
    <Link to={paths.smppControl as string} className={buttonClass('secondary', 'sm')}>
      {t('SMPP Control')}
    </Link>
  ) : may('userManagement') ? (
    <Link to={paths.users as string} className={buttonClass('secondary', 'sm')}>
      {t('Users Management')}
    </Link>
  ) : user.smppAccess ? (
    <Link to={paths.smppTraffic as string} className={buttonClass('secondary', 'sm')}>
      {t('SMPP Traffic')}
    </Link>
  ) : undefined
  return (
    <Card title={t('Your SMPP credentials')} aside={manage}>
      {user.smppAccess ? (
        <div className="space-y-4">
          <BindDetails userId={user.id} />
          <p className="text-xs text-ink-3">
            {t(
              'Share credentials securely, with authorized providers only. Whoever has them can send in your name.',
            )}
          </p>
        </div>
      ) : (
        <div className="space-y-2 text-ink-2">
          <p>{t('SMPP access is off for your account, so there are no credentials to bind with.')}</p>
          <p>
            {may('userManagement') ? (
              <>
                {tNodes('Switch it on in {page}.', {
                  page: <PageLink to={`${paths.users}`}>{t('Users Management')}</PageLink>,
                })}
              </>
            ) : (
              t('Ask support to switch it on.')
            )}
          </p>
        </div>
      )}
    </Card>
  )
}

function HowToBind({ status: { server } }: { status: SmppStatus }) {
  const user = useUser()
  return (
    <Card title={t('How to bind')}>
      <ol className="list-decimal space-y-1.5 ps-5 text-ink-2">
        <li>
          {tNodes(
            'Open a TCP connection to port {port} and bind as transmitter, receiver or transceiver. Protocol SMPP 3.4.',
            { port: <span className="font-mono text-ink">{server.port}</span> },
          )}
        </li>
        <li>{t('Sign in with your own system ID and password. Every peer has its own pair.')}</li>
        <li>
          {counted(
            user.maxConnections,
            'At most 1 bind at a time for your account.',
            'At most {count} binds at a time for your account.',
          )}
        </li>
        <li>
          {t(
            'Send with submit_sm to a premium number in international form. A success answer means the record is stored; on any other answer send again.',
          )}
        </li>
        <li>{t('Answer enquire_link, or send it yourself, so that a silent line is noticed.')}</li>
      </ol>
    </Card>
  )
}
