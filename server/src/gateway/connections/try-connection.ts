// The console's Test: binds once with the stored credentials, apart from the link itself, and unbinds again. It reports
// each step with its duration.
import type { ConnectionTest } from '@tollgate/contract/connections.ts'
import { connect, type ClientOptions, type ConnectOutcome } from '@tollgate/smpp/net/client.ts'
import { EgressRefused, OutsideFault } from '../../platform/security/egress.ts'
import { bindOptions } from './bind-options.ts'
import type { ConnectionsDeps } from './deps.ts'
import type { ConnectionRow } from './store.ts'
import { TestSteps } from '../test-steps.ts'
import { linkFailureOf } from './messages.ts'

const timeoutMs = 10_000

type BindResult = Omit<ConnectionTest, 'durationMs' | 'steps'>

/** Takes at most ten seconds; never rejects because of the upstream. */
export async function tryConnection(
  deps: ConnectionsDeps,
  connection: ConnectionRow,
): Promise<ConnectionTest> {
  const startedAtMs = performance.now()
  const steps = new TestSteps()
  const result = await bindAndUnbind(deps, connection, steps)
  return { ...result, durationMs: Math.round(performance.now() - startedAtMs), steps: steps.list }
}

async function bindAndUnbind(
  deps: ConnectionsDeps,
  connection: ConnectionRow,
  steps: TestSteps,
): Promise<BindResult> {
  const failed = (step: string, fault: { error: string; errorCode?: number }) => {
    steps.add(step, fault.error, false)
    return { success: false, ...fault }
  }
  let options: ClientOptions
  try {
    options = await bindOptions(deps, connection)
  } catch (error) {
    if (!(error instanceof EgressRefused || error instanceof OutsideFault)) throw error
    return failed('Address', { error: error.message })
  }
  steps.add('Address', `${connection.host} is ${options.host}`)
  const outcome = await connect(
    {
      ...options,
      ...(deps.settings === undefined ? {} : { settings: deps.settings }),
      handlers: {
        // The first PDU out is the bind: by then TCP, and TLS over it, are connected.
        onPdu: (_session, _id, direction) => {
          if (direction === 'out' && steps.list.length === 1)
            steps.add(connection.useTls ? 'TCP and TLS' : 'TCP', `Port ${connection.port} open`)
        },
      },
    },
    AbortSignal.timeout(timeoutMs),
  )
  if (outcome.kind !== 'bound') return failed(steps.list.length === 1 ? 'TCP' : 'Bind', toError(outcome))
  const { session, peerSystemId } = outcome
  steps.add('Bind', `bind_${connection.bindType} taken${peerSystemId === '' ? '' : ` by ${peerSystemId}`}`)
  await session.unbind(1_000)
  steps.add('Unbind', 'Session ended')
  return { success: true, peerSystemId }
}

function toError(outcome: Exclude<ConnectOutcome, { kind: 'bound' }>) {
  const isRefused = outcome.kind === 'refused'
  const { code, text } = linkFailureOf(
    isRefused ? '' : outcome.detail,
    isRefused ? outcome.status : undefined,
  )
  return code === null ? { error: text } : { error: `Error Code ${code}: ${text}`, errorCode: code }
}
