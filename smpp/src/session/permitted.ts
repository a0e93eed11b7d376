// SMPP 3.4 §2.3 Table 2-1: which request is permitted in which state. Pure functions. Responses are matched by sequence.
import { responseOf } from '../pdu/registry.ts'
import { commandId } from '../values/command-id.ts'
import { commandStatus } from '../values/command-status.ts'
import { isRated } from './request-kinds.ts'
import type { BindMode, SessionState, Side } from './session-types.ts'

/** yes · no: answer 0x04 · bound: answer 0x05 (ESME_RALYBND) · stranger: the command belongs to the other side. */
type CommandPermission = 'yes' | 'no' | 'bound' | 'stranger'

// One bit for each kind of bind: the check runs for every PDU, and so costs only a look-up and a mask.
const modeBit: Record<BindMode, number> = { transmitter: 1, receiver: 2, transceiver: 4 }
const transmits = modeBit.transmitter | modeBit.transceiver
const receives = modeBit.receiver | modeBit.transceiver

function bySlot(entries: readonly (readonly [id: number, modes: number])[]): number[] {
  const slots = Array.from({ length: 0x110 }, () => 0)
  for (const [id, modes] of entries) slots[id] = modes
  return slots
}

/** Commands that need a bound session: over which binds each side may issue them. */
const fromEsme = bySlot([
  [commandId.submit_sm, transmits],
  [commandId.submit_multi, transmits],
  [commandId.query_sm, transmits],
  [commandId.cancel_sm, transmits],
  [commandId.replace_sm, transmits],
  // data_sm flows like submit_sm from the ESME and like deliver_sm from the SMSC.
  [commandId.data_sm, transmits],
])
const fromSmsc = bySlot([
  [commandId.deliver_sm, receives],
  [commandId.alert_notification, receives],
  [commandId.data_sm, receives],
])

/** Whether a command_id is one of the three binds. */
export function isBind(id: number): boolean {
  return (
    id === commandId.bind_receiver || id === commandId.bind_transmitter || id === commandId.bind_transceiver
  )
}

/** Whether `from` may issue a request now. */
export function permission(
  from: Side,
  state: SessionState,
  mode: BindMode | undefined,
  id: number,
): CommandPermission {
  // §4.11: either side, at any time. We answer before the bind as well, because simple load balancers send it then.
  if (id === commandId.enquire_link || id === commandId.unbind) return 'yes'
  if (isBind(id)) return from === 'smsc' ? 'stranger' : state === 'open' ? 'yes' : 'bound'
  if (id === commandId.outbind) return from === 'esme' ? 'stranger' : state === 'open' ? 'yes' : 'no'
  return state === 'bound' && mode !== undefined ? overBind(from, mode, id) : 'no'
}

function overBind(from: Side, mode: BindMode, id: number): CommandPermission {
  const modes = (from === 'esme' ? fromEsme : fromSmsc)[id] ?? 0
  if (modes === 0) return 'stranger'
  return (modes & modeBit[mode]) === 0 ? 'no' : 'yes'
}

/** The status that answers a request that is not permitted now. */
export function deniedStatus(denial: CommandPermission, id: number, isOurUnbind: boolean): number {
  if (denial === 'bound') return commandStatus.ESME_RALYBND
  if (responseOf(id) === undefined) return commandStatus.ESME_RINVCMDID
  // While we unbind, the peer has done nothing wrong.
  return isOurUnbind ? statusWhileWeUnbind(id) : commandStatus.ESME_RINVBNDSTS
}

/** The status of §5.1.3 that makes the peer send the request again, on another bind. */
function statusWhileWeUnbind(id: number): number {
  if (id === commandId.deliver_sm) return commandStatus.ESME_RX_T_APPN
  return isRated(id) ? commandStatus.ESME_RMSGQFUL : commandStatus.ESME_RSYSERR
}
