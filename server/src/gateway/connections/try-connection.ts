// The console's Test: binds once with the stored credentials, apart from the link itself, and unbinds again. It reports
// each step with its duration.
import type { ConnectionTest } from '@tollgate/contract/connections.ts'
import { connect, type ClientOptions, type ConnectOutcome } from '@tollgate/smpp/net/client.ts'
import { EgressRefused, OutsideFault } from '../../platform/security/egress.ts'
import { bindOptions } from './bind-options.ts'
import type { ConnectionsDeps } from './deps.ts'
import type { ConnectionRow } from './store.ts'
import { linkFailureOf } from './messages.ts'

const timeoutMs = 10_000

/** Takes at most ten seconds; never rejects because of the upstream. */
export async function tryConnection(
  deps: ConnectionsDeps,
  connection: ConnectionRow,
): Promise<ConnectionTest> {
  const steps = new TestSteps()
  let options: ClientOptions
  try {
    options = await bindOptions(deps, connection)
  } catch (error) {
    if (!(error instanceof EgressRefused || error instanceof OutsideFault)) throw error
    return steps.failed('Address', { error: error.message })
  }
  steps.done('Address', `${connection.host} is ${options.host}`)
  const settings = deps.settings === undefined ? {} : { settings: deps.settings }
  const outcome = await connect(
    {
      ...options,
      ...settings,
      handlers: {
        // The first PDU out is the bind: by then TCP, and TLS over it, are connected.
        onPdu: (_session, _id, direction) => {
          if (direction === 'out' && steps.stepCount === 1)
            steps.done(connection.useTls ? 'TCP and TLS' : 'TCP', `Port ${connection.port} open`)
        },
      },
    },
    AbortSignal.timeout(timeoutMs),
  )
  if (outcome.kind !== 'bound') return steps.failed(steps.stepCount === 1 ? 'TCP' : 'Bind', toError(outcome))
  const { session, peerSystemId } = outcome
  steps.done('Bind', `bind_${connection.bindType} taken${peerSystemId === '' ? '' : ` by ${peerSystemId}`}`)
  await session.unbind(1_000)
  steps.done('Unbind', 'Session ended')
  return steps.succeeded(peerSystemId)
}

/** The steps so far, each with the time since the one before. */
class TestSteps {
  readonly #startedAtMs = performance.now()
  readonly #steps: ConnectionTest['steps'] = []
  #sinceMs = performance.now()

  get stepCount(): number {
    return this.#steps.length
  }

  done(step: string, detail: string, isOk = true): void {
    const nowMs = performance.now()
    this.#steps.push({ step, detail, isOk, durationMs: Math.round((nowMs - this.#sinceMs) * 10) / 10 })
    this.#sinceMs = nowMs
  }

  succeeded(peerSystemId: string): ConnectionTest {
    return { success: true, peerSystemId, ...this.#end() }
  }

  failed(step: string, fault: { readonly error: string; readonly errorCode?: number }): ConnectionTest {
    this.done(step, fault.error, false)
    return { success: false, ...fault, ...this.#end() }
  }

  #end() {
    return { durationMs: Math.round(performance.now() - this.#startedAtMs), steps: this.#steps }
  }
}

function toError(outcome: Exclude<ConnectOutcome, { kind: 'bound' }>) {
  const isRefused = outcome.kind === 'refused'
  const { code, text } = linkFailureOf(
    isRefused ? '' : outcome.detail,
    isRefused ? outcome.status : undefined,
  )
  return code === null ? { error: text } : { error: `Error Code ${code}: ${text}`, errorCode: code }
}
