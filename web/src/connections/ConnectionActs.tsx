// The acts on a connection: on its page, and where the specification names them in a list.
import { connectionsRoutes, type Connection } from '@tollgate/contract/connections/connections.ts'
import { PlugZap, RotateCw, Send, Unplug } from 'lucide-react'
import { useState } from 'react'
import { useApiMutation } from '../api/use-api.ts'
import { connectionPaths, useConnectionActions } from '../gateway/queries.ts'
import { TestResult } from '../gateway/TestResult.tsx'
import { toastConnectionTest } from '../gateway/toast-connection-test.ts'
import { t } from '../language/t.ts'
import { Button } from '../ui/Button.tsx'
import { showToast } from '../ui/toasts.ts'
import { SendTestDialog } from './SendTestDialog.tsx'

interface ConnectionActsProps {
  readonly connection: Connection
  /** In a row of a list: small, and named after the connection. */
  readonly inRow?: boolean
}

const lookIn = (inRow: boolean | undefined, label: string) =>
  inRow ? { size: 'sm' as const, 'aria-label': label } : {}

/** Spec §8. */
function refuseSending(): void {
  showToast({
    tone: 'bad',
    title: t('Send Test SMS'),
    text: t('Cannot send SMS - No active SMPP connections available. Authentication must be resolved first.'),
  })
}

/** Tests it, and sends a message over it. The steps of a test stand last in the line of its page. */
export function ConnectionTests({ connection, inRow }: ConnectionActsProps) {
  const [isSending, setSending] = useState(false)
  const test = useApiMutation(connectionsRoutes.testConnection, {
    refetch: connectionPaths,
    failure: t('Failed to test the connection'),
    onSuccess: (outcome) => toastConnectionTest(connection.name, outcome),
  })
  const canSend = connection.status === 'connected' && connection.bindType !== 'receiver'
  return (
    <>
      <Button
        {...lookIn(inRow, `${t('Test Connection')}: ${connection.name}`)}
        icon={PlugZap}
        isBusy={test.isPending}
        busyLabel={t('Testing...')}
        onClick={() => test.mutate({ params: { id: connection.id } })}
      >
        {t('Test Connection')}
      </Button>
      <Button
        {...lookIn(inRow, `${t('Send Test SMS')}: ${connection.name}`)}
        icon={Send}
        onClick={() => (canSend ? setSending(true) : refuseSending())}
      >
        {t('Send Test SMS')}
      </Button>
      {test.data && !inRow && (
        <div className="order-last w-full">
          <TestResult test={test.data} />
        </div>
      )}
      {isSending && <SendTestDialog connection={connection} onClose={() => setSending(false)} />}
    </>
  )
}

interface ConnectionSwitchProps extends ConnectionActsProps {
  /** Whether there is something to restart and to disconnect. */
  readonly isUp: boolean
}

/** Connects it, or lets it bind anew or go. */
export function ConnectionSwitch({ connection, inRow, isUp }: ConnectionSwitchProps) {
  const { id, name } = connection
  const { connect, disconnect, restart } = useConnectionActions(name)
  const params = { id }
  return isUp ? (
    <>
      <Button
        {...lookIn(inRow, t('Restart {name}', { name }))}
        icon={RotateCw}
        isBusy={restart.isPending}
        onClick={() => restart.mutate({ params })}
      >
        {t('Restart')}
      </Button>
      <Button
        {...lookIn(inRow, t('Disconnect {name}', { name }))}
        icon={Unplug}
        isBusy={disconnect.isPending}
        onClick={() => disconnect.mutate({ params })}
      >
        {t('Disconnect')}
      </Button>
    </>
  ) : (
    <Button
      {...lookIn(inRow, t('Connect {name}', { name }))}
      icon={PlugZap}
      isBusy={connect.isPending}
      onClick={() => connect.mutate({ params })}
    >
      {t('Connect')}
    </Button>
  )
}
