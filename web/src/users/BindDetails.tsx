import type { RouteAnswer } from '@tollgate/contract/route.ts'
import { usersRoutes } from '@tollgate/contract/users/users.ts'
import { Eye, EyeOff } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { messageOf, requestIdOf } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import { useApiQuery } from '../api/use-api.ts'
import { Pairs } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { ErrorState, Skeleton } from '../ui/States.tsx'
import { showToast } from '../ui/toasts.ts'
import { t } from '../language/t.ts'

/** Where and as whom an account binds. The password is fetched on demand, since reading it leaves an audit entry. */
export function BindDetails({ userId }: { userId: number }) {
  const { data, error, refetch } = useApiQuery(usersRoutes.getBindDetails, { params: { id: userId } })
  if (error)
    return (
      <ErrorState
        title={t('Failed to fetch the credentials')}
        reason={messageOf(error)}
        requestId={requestIdOf(error)}
        onRetry={() => void refetch()}
      />
    )
  if (!data) return <Skeleton className="h-44 w-full pointer-coarse:h-64" />
  return (
    <BindPairs
      details={data}
      password={<HiddenPassword userId={userId} />}
      passwordToCopy={() => readPassword(userId)}
    />
  )
}

interface BindPairsProps {
  readonly details: Pick<RouteAnswer<typeof usersRoutes.getBindDetails>, 'host' | 'port' | 'systemId'>
  readonly password: ReactNode
  /** Fetches the password; returns undefined after it has shown its failure. */
  readonly passwordToCopy: () => Promise<string | undefined>
}

/** The four values that a peer needs to bind, each with a copy button, and one button for all. */
export function BindPairs({ details, password, passwordToCopy }: BindPairsProps) {
  const copyAll = async () => {
    const secret = await passwordToCopy()
    return (
      secret &&
      [
        `${t('Server Host')}: ${details.host}`,
        `${t('Port')}: ${details.port}`,
        `${t('System ID')}: ${details.systemId}`,
        `${t('Password')}: ${secret}`,
      ].join('\n')
    )
  }
  return (
    <div className="space-y-3">
      <Pairs
        items={[
          { label: t('Server Host'), value: <CopyableValue value={details.host} what={t('Server Host')} /> },
          { label: t('Port'), value: <CopyableValue value={String(details.port)} what={t('Port')} /> },
          { label: t('System ID'), value: <CopyableValue value={details.systemId} what={t('System ID')} /> },
          { label: t('Password'), value: password },
        ]}
      />
      <CopyButton value={copyAll} what={t('Connection details')} hasLabel={t('Copy all four')} />
    </div>
  )
}

/** A monospaced value with its copy button. */
export function CopyableValue({ value, what }: { value: string; what: string }) {
  return (
    <CopyLine value={value}>
      <CopyButton value={value} what={what} />
    </CopyLine>
  )
}

async function readPassword(userId: number): Promise<string | undefined> {
  try {
    return (await call(usersRoutes.getSmppCredentials, { params: { id: userId } })).password
  } catch (error) {
    showToast({ tone: 'bad', title: t('Failed to fetch the password'), text: messageOf(error) })
    return undefined
  }
}

function HiddenPassword({ userId }: { userId: number }) {
  const [shown, setShown] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const read = async () => {
    setBusy(true)
    const password = await readPassword(userId)
    setBusy(false)
    return password
  }
  return (
    <CopyLine value={shown ?? '••••••••'}>
      {shown === undefined ? (
        <IconButton
          icon={Eye}
          label={t('Show password')}
          disabled={isBusy}
          onClick={() => void read().then(setShown)}
        />
      ) : (
        <IconButton icon={EyeOff} label={t('Hide password')} onClick={() => setShown(undefined)} />
      )}
      <CopyButton value={shown ?? read} what={t('Password')} />
    </CopyLine>
  )
}

function CopyLine({ value, children }: { value: string; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1">
      <span className="font-mono break-all">{value}</span>
      {children}
    </span>
  )
}
