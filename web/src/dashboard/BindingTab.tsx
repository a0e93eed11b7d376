import type { SmppStatus } from '@tollgate/contract/gateway.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession, useUser } from '../api/session.tsx'
import { formatAge } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
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
import { t } from '../language/t.ts'

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
            <span className="font-medium">{link.name}</span>:{' '}
            {link.errorCode === null
              ? formatWords(link.errorText).replace(/\.$/, '')
              : t('Error Code {errorCode}: {errorText}', {
                  errorCode: link.errorCode,
                  errorText: formatWords(link.errorText),
                })}
            . {formatCount(link.attempts)} {link.attempts === 1 ? t('attempt') : t('attempts')}
            {link.lastAttempt !== null &&
              t(', the last {lastAttempt}', { lastAttempt: formatAge(link.lastAttempt, now) })}
            .
          </li>
        ))}
      </ul>
      <p className="pt-1">
        {t('The system keeps retrying in the background. Correct the credentials in')}{' '}
        <PageLink to={paths.interconnectionApi}>{t('Interconnection API')}</PageLink>.
      </p>
    </Notice>
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
      {t('{value} All premium SMS traffic is recorded automatically.', {
        value:
          server.connections === 0
            ? t('Nobody is bound now.')
            : t('{connections} {value} bound now.', {
                connections: formatCount(server.connections),
                value: server.connections === 1 ? t('peer is') : t('peers are'),
              }),
      })}
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
                {t('Switch it on in')} <PageLink to={`${paths.users}`}>{t('Users Management')}</PageLink>.
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
          {t('Open a TCP connection to port')} <span className="font-mono text-ink">{server.port}</span>{' '}
          {t('and bind as transmitter, receiver or transceiver. Protocol SMPP 3.4.')}
        </li>
        <li>{t('Sign in with your own system ID and password. Every peer has its own pair.')}</li>
        <li>
          {t('At most {maxConnections} {value} at a time for your account.', {
            maxConnections: user.maxConnections,
            value: user.maxConnections === 1 ? t('bind') : t('binds'),
          })}
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
