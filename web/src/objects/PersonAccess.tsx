import { smppProfileRoutes, type SmppProfile } from '@tollgate/contract/users/smpp-profile.ts'
import { userKeysRoutes } from '@tollgate/contract/users/user-keys.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { Unfetched } from '../api/FetchFailure.tsx'
import { useUser } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatCount } from '../format/money.ts'
import { Card, Pairs } from '../ui/Card.tsx'
import { RenewCredentials } from '../users/Credentials.tsx'
import { mayChange } from '../users/columns.tsx'
import { KeyList } from '../users/KeyList.tsx'
import { UserSessionsCard } from '../users/UserSessionsDialog.tsx'
import { t } from '../language/t.ts'

/** How a person gets in: sign-ins, and the SMPP side of a supplier. */
export function PersonAccess({ person }: { person: User }) {
  const mayAct = mayChange(useUser(), person)
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      {mayAct && <UserSessionsCard user={person} />}
      {mayAct && <PersonKeys id={person.id} />}
      <Card
        title={t('SMPP')}
        {...(person.smppAccess && mayAct && { aside: <RenewCredentials user={person} /> })}
      >
        {person.smppAccess ? (
          <SmppFacts person={person} />
        ) : (
          <p className="text-ink-3">{t('This account may not bind. Edit it to give it SMPP access.')}</p>
        )}
      </Card>
    </div>
  )
}

/** The keys by which the person's programs call the API. */
function PersonKeys({ id }: { id: number }) {
  const keys = useApiQuery(userKeysRoutes.listUserKeys, { params: { id } })
  return (
    <Card title={t('API keys')}>
      {keys.data ? (
        <KeyList
          keys={keys.data}
          withdrawal={(keyId) => ({
            route: userKeysRoutes.withdrawUserKey,
            call: { params: { id, keyId } },
            refetch: [userKeysRoutes.listUserKeys.path],
          })}
        />
      ) : (
        <Unfetched of={keys} title={t('Failed to fetch API keys')} className="h-24" />
      )}
    </Card>
  )
}

function SmppFacts({ person }: { person: User }) {
  const profile = useApiQuery(smppProfileRoutes.getSmppProfile, { params: { id: person.id } })
  if (profile.data) return <Pairs items={factsOf(profile.data, person)} />
  return <Unfetched of={profile} title={t('Failed to fetch the SMPP profile')} className="h-32" />
}

function factsOf(profile: SmppProfile, { maxConnections }: User) {
  return [
    { label: t('System ID'), value: <span className="font-mono">{profile.systemId || '–'}</span> },
    { label: t('Max Connections'), value: maxConnections || 1 },
    {
      label: t('May bind from'),
      value: profile.allowedCidrs.length === 0 ? t('any network') : profile.allowedCidrs.join(', '),
    },
    {
      label: t('Throughput'),
      value:
        profile.throughput === 0
          ? t('unlimited')
          : t('{rate} msg/s', { rate: formatCount(profile.throughput) }),
    },
    { label: t('Window'), value: profile.window },
    { label: t('TLS'), value: profile.tlsOnly ? t('required') : t('as it likes') },
    {
      label: t('Treated as'),
      value: t('SMPP {interfaceVersion}', { interfaceVersion: profile.interfaceVersion }),
    },
  ]
}
