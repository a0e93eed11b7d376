// SMPP 3.4 §2.3 Table 2-1: which command may come in which state. Pure; responses are matched by sequence instead.
import { responseOf } from '../pdu/registry.ts'
import { commandId } from '../values/command-id.ts'
import { commandStatus } from '../values/command-status.ts'
import type { BindMode, SessionState, Side } from './handlers.ts'

/** yes · no: answer 0x04 · bound: answer 0x05 (ESME_RALYBND) · stranger: the command belongs to the other side. */
export type Permission = 'yes' | 'no' | 'bound' | 'stranger'

const transmits: readonly BindMode[] = ['transmitter', 'transceiver']
const receives: readonly BindMode[] = ['receiver', 'transceiver']

/** Commands that need a bound session: who may issue them, and over which binds. */
const rules = new Map<number, { [From in Side]?: readonly BindMode[] }>([
  [commandId.submit_sm, { esme: transmits }],
  [commandId.submit_multi, { esme: transmits }],
  [commandId.query_sm, { esme: transmits }],
  [commandId.cancel_sm, { esme: transmits }],
  [commandId.replace_sm, { esme: transmits }],
  [commandId.deliver_sm, { smsc: receives }],
  [commandId.alert_notification, { smsc: receives }],
  // data_sm flows like submit_sm from the ESME and like deliver_sm from the SMSC.
  [commandId.data_sm, { esme: transmits, smsc: receives }],
])

const binds = new Set<number>([
  commandId.bind_receiver,
  commandId.bind_transmitter,
  commandId.bind_transceiver,
])

/** Whether a command_id is one of the three binds. */
export function isBind(id: number): boolean {
  return binds.has(id)
}

/** Whether `sender` may issue a request now. */
export function permission(
  sender: Side,
  state: SessionState,
  mode: BindMode | undefined,
  id: number,
): Permission {
  // §4.11: either side, any time; before the bind we answer too, which keeps simple load balancers content.
  if (id === commandId.enquire_link || id === commandId.unbind) return 'yes'
  if (isBind(id)) return sender === 'smsc' ? 'stranger' : state === 'open' ? 'yes' : 'bound'
  if (id === commandId.outbind) return sender === 'esme' ? 'stranger' : state === 'open' ? 'yes' : 'no'
  return state === 'bound' && mode !== undefined ? overBind(sender, mode, id) : 'no'
}

function overBind(sender: Side, mode: BindMode, id: number): Permission {
  const modes = rules.get(id)?.[sender]
  if (modes === undefined) return 'stranger'
  return modes.includes(mode) ? 'yes' : 'no'
}

/** The status that answers a request which may not come now. */
export function deniedStatus(denial: Permission, id: number, isOurUnbind: boolean): number {
  if (denial === 'bound') return commandStatus.ESME_RALYBND
  if (responseOf(id) === undefined) return commandStatus.ESME_RINVCMDID
  // While we unbind, the peer has done nothing wrong: a status that makes it try again elsewhere.
  return isOurUnbind ? commandStatus.ESME_RSYSERR : commandStatus.ESME_RINVBNDSTS
}
