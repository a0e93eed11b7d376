import type { SmppStatus } from '@tollgate/contract/gateway.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession, useUser } from '../api/session.tsx'
import { formatAge } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { BindDetails } from '../users/BindDetails.tsx'
import { paths } from '../paths.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Skeleton } from '../ui/States.tsx'
import { useNow } from '../ui/use-now.ts'
import { useSmppStatus } from '../gateway/smpp-status.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'

/** Spec §2, Connections: how to bind, the viewer's credentials, and failing outbound connections. */
export function BindingTab() {
  const status = useSmppStatus()
  if (status.data)
    return (
      <div className="space-y-4">
        {status.data.outbound.failing && <FailingOutbound outbound={status.data.outbound} />}
        <ServerNotice status={status.data} />
        <div className="grid gap-4 lg:grid-cols-2">
          <OwnCredentials />
          <HowToBind status={status.data} />
        </div>
      </div>
    )
  if (status.error)
    return (
      <Card>
        <FetchFailure of={status} title="Failed to fetch SMPP status" />
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
      <Notice tone="bad" title="An outbound gateway is failing" isAlert>
        A link from this gateway to an outside one cannot sign in. Messages that you send here are still taken
        and recorded.
      </Notice>
    )
  return (
    <Notice tone="bad" title="Outbound gateway authentication is failing" isAlert>
      <ul className="space-y-1">
        {failing.map((link) => (
          <li key={link.id}>
            <span className="font-medium">{link.name}</span>:{' '}
            {link.errorCode === null
              ? link.errorText.replace(/\.$/, '')
              : `Error Code ${link.errorCode}: ${link.errorText}`}
            . {formatCount(link.attempts)} {link.attempts === 1 ? 'attempt' : 'attempts'}
            {link.lastAttempt !== null && `, the last ${formatAge(link.lastAttempt, now)}`}.
          </li>
        ))}
      </ul>
      <p className="pt-1">
        The system keeps retrying in the background. Correct the credentials in{' '}
        <PageLink to={paths.interconnectionApi}>Interconnection API</PageLink>.
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

function ServerNotice({ status: { server } }: { status: SmppStatus }) {
  if (!server.running)
    return (
      <Notice tone="warn" title="The SMPP server is not running" isAlert>
        Binds are refused until it runs again. Peers keep their messages and send them then.
      </Notice>
    )
  return (
    <Notice tone="ok" title={`SMPP server listening on port ${server.port}`}>
      {server.connections === 0
        ? 'Nobody is bound now.'
        : `${formatCount(server.connections)} ${server.connections === 1 ? 'peer is' : 'peers are'} bound now.`}{' '}
      All premium SMS traffic is recorded automatically.
    </Notice>
  )
}

function OwnCredentials() {
  const user = useUser()
  const { may } = useSession()
  const manage = may('smppControl') ? (
    <Link to={paths.smppControl as string} className={buttonClass('secondary', 'sm')}>
      SMPP Control
    </Link>
  ) : may('userManagement') ? (
    <Link to={paths.users as string} className={buttonClass('secondary', 'sm')}>
      Users Management
    </Link>
  ) : undefined
  return (
    <Card title="Your SMPP credentials" aside={manage}>
      {user.smppAccess ? (
        <div className="space-y-4">
          <BindDetails userId={user.id} />
          <p className="text-xs text-ink-3">
            Share credentials securely, with authorized providers only. Whoever has them can send in your
            name.
          </p>
        </div>
      ) : (
        <div className="space-y-2 text-ink-2">
          <p>SMPP access is off for your account, so there are no credentials to bind with.</p>
          <p>
            {may('userManagement') ? (
              <>
                Switch it on in <PageLink to={`${paths.users}`}>Users Management</PageLink>.
              </>
            ) : (
              'Ask support to switch it on.'
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
    <Card title="How to bind">
      <ol className="list-decimal space-y-1.5 ps-5 text-ink-2">
        <li>
          Open a TCP connection to port <span className="font-mono text-ink">{server.port}</span> and bind as
          transmitter, receiver or transceiver. Protocol SMPP 3.4.
        </li>
        <li>Sign in with your own system ID and password. Every peer has its own pair.</li>
        <li>
          At most {user.maxConnections} {user.maxConnections === 1 ? 'bind' : 'binds'} at a time for your
          account.
        </li>
        <li>
          Send with submit_sm to a premium number in international form. A success answer means the record is
          stored; on any other answer send again.
        </li>
        <li>Answer enquire_link, or send it yourself, so that a silent line is noticed.</li>
      </ol>
    </Card>
  )
}
