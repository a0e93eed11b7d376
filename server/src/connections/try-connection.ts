// The console's Test: binds once with the stored credentials, apart from the link itself, and unbinds again. It reports
// each step with its duration.
import type { ConnectionTest } from '@tollgate/contract/connections/connections.ts'
import { englishOf, sentence, spoken, type Words } from '@tollgate/contract/sentences.ts'
import { connect, type SmppClientOptions } from '@tollgate/smpp/net/client.ts'
import { linkFaultOf } from '@tollgate/smpp/net/reconnect.ts'
import { EgressRefused, OutsideFault } from '../platform/security/egress.ts'
import { bindOptions } from './bind-options.ts'
import type { ConnectionsDeps } from './deps.ts'
import type { ConnectionRow } from './store.ts'
import { TestSteps } from '../gateway/index.ts'
import { connectionFault, linkFailureOf } from './messages.ts'

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
  const failed = (step: string, fault: Words, code: number | null = null) => {
    steps.add(step, fault, false)
    return { success: false, error: englishOf(fault), ...(code !== null && { errorCode: code }) }
  }
  let options: SmppClientOptions
  try {
    options = await bindOptions(deps, connection)
  } catch (error) {
    if (!(error instanceof EgressRefused || error instanceof OutsideFault)) throw error
    return failed(spoken('Address'), error.message)
  }
  steps.add(
    spoken('Address'),
    sentence('{host} is {address}', {
      host: connection.host,
      address: (options.addresses ?? []).map(({ address }) => address).join(', '),
    }),
  )
  const outcome = await connect(
    {
      ...options,
      ...(deps.settings === undefined ? {} : { settings: deps.settings }),
      handlers: {
        // The first PDU out is the bind: by then TCP, and TLS over it, are connected.
        onPdu: (_session, _id, direction) => {
          if (direction === 'out' && steps.list.length === 1)
            steps.add(
              connection.useTls ? spoken('TCP and TLS') : 'TCP',
              sentence('Port {port} open', { port: String(connection.port) }),
            )
        },
      },
    },
    AbortSignal.timeout(timeoutMs),
  )
  if (outcome.kind !== 'bound') {
    const { code, text } = linkFailureOf(linkFaultOf(outcome), connection)
    const isCertificate = outcome.kind === 'unreachable' && outcome.certificate !== undefined
    const before = isCertificate ? spoken('Certificate') : 'TCP'
    return failed(steps.list.length === 1 ? before : spoken('SMPP bind'), connectionFault(code, text), code)
  }
  const { session, peerSystemId } = outcome
  const bind = `bind_${connection.bindType}`
  steps.add(
    spoken('SMPP bind'),
    peerSystemId === ''
      ? sentence('{bind} taken', { bind })
      : sentence('{bind} taken by {peer}', { bind, peer: peerSystemId }),
  )
  await session.unbind(1_000)
  steps.add(spoken('SMPP unbind'), spoken('Session ended'))
  return { success: true, peerSystemId }
}
