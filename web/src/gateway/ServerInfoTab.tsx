// The credentials that a peer needs to bind, for any account with SMPP access, and the state of the server.
import { usersRoutes, type User } from '@tollgate/contract/users/users.ts'
import { useState } from 'react'
import { useApiQuery } from '../api/use-api.ts'
import { formatCount } from '../format/money.ts'
import { BindDetails } from '../users/BindDetails.tsx'
import { StatusBadge } from '../ui/Badge.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { SelectField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { EmptyState, Skeleton } from '../ui/States.tsx'
import { runningState, useSmppStatus } from './smpp-status.ts'
import { FetchFailure, Unfetched } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { t } from '../language/t.ts'

export function ServerInfoTab() {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <ConnectionDetails />
      <ServerStatus />
    </div>
  )
}

const shownMax = 500

function ConnectionDetails() {
  const users = useApiQuery(usersRoutes.listUsers, {
    query: { smppAccess: 'with', limit: shownMax, sort: 'username', order: 'asc' },
  })
  const withAccess = users.data
  return (
    <Card title={t('Gateway Connection Details')}>
      <div className="space-y-4">
        {withAccess ? (
          withAccess.length === 0 ? (
            <EmptyState title={t('No account has SMPP access')}>
              {t('Switch it on in Users Management; each account binds with its own credentials.')}
            </EmptyState>
          ) : (
            <AccountCredentials users={withAccess} />
          )
        ) : (
          <Unfetched
            of={users}
            title={t('Failed to fetch accounts')}
            className="h-61 w-full pointer-coarse:h-84"
          />
        )}
        <Notice title={t('Share credentials securely')}>
          {t('With authorized providers only. All premium SMS traffic is recorded automatically.')}
        </Notice>
      </div>
    </Card>
  )
}

function AccountCredentials({ users }: { users: readonly User[] }) {
  const [chosen, setChosen] = useState(String(users[0]?.id ?? ''))
  return (
    <div className="space-y-4">
      <SelectField
        label={t('Account')}
        value={chosen}
        options={users.map((user) => ({ value: String(user.id), label: user.username }))}
        {...(users.length === shownMax && {
          hint: t('The first {count} are shown. Users Management has the credentials of every account.', {
            count: shownMax,
          }),
        })}
        onChange={(event) => setChosen(event.target.value)}
      />
      <BindDetails key={chosen} userId={Number(chosen)} />
    </div>
  )
}

function ServerStatus() {
  const status = useSmppStatus()
  if (!status.data)
    return status.error ? (
      <Card title={t('Gateway Status')}>
        <FetchFailure of={status} title={t('Failed to fetch SMPP status')} />
      </Card>
    ) : (
      <Skeleton className="h-48 w-full rounded-lg" />
    )
  const { server, cdr } = status.data
  return (
    <Card title={t('Gateway Status')} aside={<StatusBadge kind="gateway" status={runningState(status)} />}>
      <Pairs
        items={[
          { label: t('Listening port'), value: <span className="font-mono">{server.port}</span> },
          { label: t('IPRN providers'), value: formatCount(server.connections) },
          { label: t('Premium SMS records'), value: formatCount(cdr.records) },
          { label: t('IPRN numbers'), value: formatCount(cdr.numbers) },
        ]}
      />
      <RefreshNote of={[status]} />
    </Card>
  )
}
