// The console's Test: binds once with the stored credentials, apart from the link itself, and unbinds again.
import type { ConnectionTest } from '@tollgate/contract/connections.ts'
import { connect, type ConnectOutcome } from '@tollgate/smpp/net/client.ts'
import { EgressRefused, OutsideFault } from '../../platform/egress.ts'
import { bindOptions } from './bind-options.ts'
import type { ConnectionsDeps } from './deps.ts'
import type { ConnectionRow } from './store.ts'
import { failureOf } from './words.ts'

const timeoutMs = 10_000

/** Takes at most ten seconds and never rejects for what the other side does. */
export async function tryConnection(
  deps: ConnectionsDeps,
  connection: ConnectionRow,
): Promise<ConnectionTest> {
  const startedAtMs = performance.now()
  const took = () => Math.round(performance.now() - startedAtMs)
  try {
    const options = await bindOptions(deps, connection)
    const outcome = await connect({ ...options, ...settingsOf(deps) }, AbortSignal.timeout(timeoutMs))
    if (outcome.kind === 'bound') {
      const durationMs = took()
      await outcome.session.unbind(1_000)
      return { success: true, peerSystemId: outcome.peerSystemId, durationMs }
    }
    return { success: false, ...toError(outcome), durationMs: took() }
  } catch (error) {
    if (error instanceof EgressRefused || error instanceof OutsideFault)
      return { success: false, error: error.message, durationMs: took() }
    throw error
  }
}

function settingsOf({ settings }: ConnectionsDeps) {
  return settings === undefined ? {} : { settings }
}

function toError(outcome: Exclude<ConnectOutcome, { kind: 'bound' }>) {
  const isRefused = outcome.kind === 'refused'
  const { code, text } = failureOf(isRefused ? '' : outcome.detail, isRefused ? outcome.status : undefined)
  return code === null ? { error: text } : { error: `Error Code ${code}: ${text}`, errorCode: code }
}
