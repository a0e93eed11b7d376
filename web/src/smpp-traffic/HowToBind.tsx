// How an account binds: what it signs in with, and which answers to send a message again after.
import { Link } from '@tanstack/react-router'
import { usersRoutes } from '@tollgate/contract/users/users.ts'
import { useSession, useUser } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { counted } from '../format/counted.ts'
import { t } from '../language/t.ts'
import { tNodes } from '../language/t-nodes.tsx'
import { paths } from '../paths.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { BindDetails, CopyableValue } from '../users/BindDetails.tsx'

/** The credentials beside the steps; an account without SMPP access reads where to get it, and no steps. */
export function HowToBind() {
  const user = useUser()
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <OwnCredentials />
      {user.smppAccess && <Steps />}
    </div>
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
            {may('userManagement')
              ? tNodes('Switch it on in {page}.', {
                  page: (
                    <Link
                      to={paths.users as string}
                      className="font-medium text-accent-ink underline underline-offset-2"
                    >
                      {t('Users Management')}
                    </Link>
                  ),
                })
              : t('Ask support to switch it on.')}
          </p>
        </div>
      )}
    </Card>
  )
}

function Steps() {
  const { id, maxConnections } = useUser()
  const { port, testNumber } = useApiQuery(usersRoutes.getBindDetails, { params: { id } }).data ?? {}
  return (
    <Card title={t('How to bind')}>
      <ol className="list-decimal space-y-1.5 ps-5 text-ink-2">
        <li>
          {tNodes(
            'Open a TCP connection to port {port} and bind as transmitter, receiver or transceiver. Protocol SMPP 3.4.',
            { port: <span className="font-mono text-ink">{port ?? '…'}</span> },
          )}
        </li>
        <li>{t('Sign in with your own system ID and password. Every peer has its own pair.')}</li>
        <li>
          {counted(
            maxConnections,
            'At most 1 bind at a time for your account.',
            'At most {count} binds at a time for your account.',
          )}
        </li>
        <li>
          {t(
            'Send with submit_sm to a premium number in international form. The answer 0x00 means that the record is stored. Support says which numbers are yours to send to.',
          )}
          {testNumber !== undefined && testNumber !== '' && (
            <p className="pt-1 text-ink">
              {tNodes('Send your first message to {number}: it is set aside for that.', {
                number: <CopyableValue value={testNumber} what={t('number')} />,
              })}
            </p>
          )}
        </li>
        <li>
          {t('Send again after 0x14, after 0x58 more slowly, and what had no answer when the line broke.')}
        </li>
        <li>
          {t(
            'Never send again after 0x0B: it is no number of ours, or takes no messages now. Nor after 0x0A, 0x45 or another status: correct the message first.',
          )}
        </li>
        <li>{t('Answer enquire_link, or send it yourself, so that a silent line is noticed.')}</li>
      </ol>
    </Card>
  )
}
