// What the product says to a bind; its own failure refuses the peer, and is told.
import type { PduBody } from '../pdu/registry.ts'
import { commandStatus } from '../values/command-status.ts'
import type { BindDecision, BindMode, SessionHandlers } from './handlers.ts'
import { bindRequest } from './requests.ts'
import type { Session } from './session.ts'

/** Asks `handlers.onBind`. Never rejects: without a handler the bind fails, and after an error of its own it is 0x08. */
export async function judgeBind<Account>(
  session: Session<Account>,
  handlers: SessionHandlers<Account>,
  mode: BindMode,
  body: PduBody<'bind_transceiver'>,
): Promise<BindDecision<Account>> {
  try {
    const decision = await handlers.onBind?.(session, bindRequest(mode, body))
    return decision ?? { accept: false, status: commandStatus.ESME_RBINDFAIL }
  } catch (error) {
    handlers.onFault?.(session, 'handler-failed', error instanceof Error ? error.message : String(error))
    return { accept: false, status: commandStatus.ESME_RSYSERR }
  }
}
