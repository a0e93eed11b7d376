// What a peer needs to bind to us, for any account with SMPP access, and how the server stands.
import { usersRoutes, type User } from '@tollgate/contract/users.ts'
import { Eye, EyeOff, KeyRound } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { ApiError, reasonOf, requestIdOf } from '../api/api-error.ts'
import { useCall } from '../api/use-call.ts'
import { formatCount } from '../format/money.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { SelectField } from '../ui/Field.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Notice } from '../ui/Notice.tsx'
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx'
import { useGatewayStatus } from './queries.ts'

export function ServerInfoTab() {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <ConnectionDetails />
      <ServerStatus />
    </div>
  )
}

function ConnectionDetails() {
  const users = useCall(usersRoutes.listUsers, { query: { limit: 500, sort: 'username', order: 'asc' } })
  const withAccess = users.data?.filter(({ smppAccess }) => smppAccess)
  return (
    <Card title="Gateway Connection Details">
      <div className="space-y-4">
        {withAccess ? (
          withAccess.length === 0 ? (
            <EmptyState title="No account has SMPP access">
              Switch it on in Users Management; each account binds with its own credentials.
            </EmptyState>
          ) : (
            <AccountCredentials users={withAccess} />
          )
        ) : users.error ? (
          <ErrorState
            title="Failed to fetch accounts"
            reason={reasonOf(users.error)}
            requestId={requestIdOf(users.error)}
            onRetry={() => void users.refetch()}
          />
        ) : (
          <Skeleton className="h-40 w-full" />
        )}
        <Notice title="Share credentials securely">
          With authorized providers only. All premium SMS traffic is recorded automatically.
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
        label="Account"
        value={chosen}
        options={users.map((user) => ({ value: String(user.id), label: user.username }))}
        onChange={(event) => setChosen(event.target.value)}
      />
      <Credentials key={chosen} userId={Number(chosen)} />
    </div>
  )
}

/** Shown at once after a recent sign-in; later a click asks for the password first. */
function Credentials({ userId }: { userId: number }) {
  const [isAsking, setAsking] = useState(false)
  const [isPasswordShown, setPasswordShown] = useState(false)
  const credentials = useCall(
    usersRoutes.getSmppCredentials,
    { params: { id: userId } },
    { isSecret: true, asksPassword: isAsking },
  )
  const { data, error } = credentials
  if (data)
    return (
      <Pairs
        items={[
          { label: 'Server Host', value: <Copied value={data.host} what="Server Host" /> },
          { label: 'Port', value: <Copied value={String(data.port)} what="Port" /> },
          { label: 'System ID', value: <Copied value={data.systemId} what="System ID" /> },
          {
            label: 'Password',
            value: (
              <Copied
                value={data.password}
                what="Password"
                shown={isPasswordShown ? data.password : '••••••••'}
              >
                <IconButton
                  icon={isPasswordShown ? EyeOff : Eye}
                  label={isPasswordShown ? 'Hide password' : 'Show password'}
                  onClick={() => setPasswordShown(!isPasswordShown)}
                />
              </Copied>
            ),
          },
        ]}
      />
    )
  if (error instanceof ApiError && error.code === 'reauthenticate')
    return (
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={KeyRound}
          isBusy={credentials.isFetching}
          onClick={() => {
            // The question belongs to this click: the call below is made with it allowed.
            flushSync(() => setAsking(true))
            void credentials.refetch()
          }}
        >
          Show credentials
        </Button>
        <span className="text-ink-3">Confirms your password first.</span>
      </div>
    )
  if (error)
    return (
      <ErrorState
        title="Failed to fetch the credentials"
        reason={reasonOf(error)}
        requestId={requestIdOf(error)}
        onRetry={() => void credentials.refetch()}
      />
    )
  return <Skeleton className="h-32 w-full" />
}

interface CopiedProps {
  readonly value: string
  readonly what: string
  readonly shown?: string
  /** A button before that of copying. */
  readonly children?: ReactNode
}

function Copied({ value, what, shown = value, children }: CopiedProps) {
  return (
    <span className="inline-flex items-center gap-1">
      <span className="font-mono break-all">{shown}</span>
      {children}
      <CopyButton value={value} what={what} />
    </span>
  )
}

function ServerStatus() {
  const status = useGatewayStatus()
  if (!status.data)
    return status.error ? (
      <Card title="Gateway Status">
        <ErrorState
          title="Failed to fetch SMPP status"
          reason={reasonOf(status.error)}
          requestId={requestIdOf(status.error)}
          onRetry={() => void status.refetch()}
        />
      </Card>
    ) : (
      <Skeleton className="h-48 w-full rounded-lg" />
    )
  const { server, cdr } = status.data
  return (
    <Card
      title="Gateway Status"
      aside={<StatusBadge kind="gateway" status={server.running ? 'online' : 'offline'} />}
    >
      <Pairs
        items={[
          { label: 'Listening port', value: <span className="font-mono">{server.port}</span> },
          { label: 'IPRN providers', value: formatCount(server.connections) },
          { label: 'Premium SMS records', value: formatCount(cdr.records) },
          { label: 'IPRN numbers', value: formatCount(cdr.numbers) },
        ]}
      />
    </Card>
  )
}
