// Every PDU of SMPP 3.4 §4. Reading, writing, tests and fuzzing all walk this table.
import { commandId, type CommandName } from '../values/command-id.ts'
import { alertNotification } from './alert-notification.ts'
import {
  bindReceiver,
  bindReceiverResp,
  bindTransceiver,
  bindTransceiverResp,
  bindTransmitter,
  bindTransmitterResp,
  outbind,
} from './bind.ts'
import { cancelSm, cancelSmResp } from './cancel-sm.ts'
import { dataSm, dataSmResp } from './data-sm.ts'
import type { PduType } from './define.ts'
import { deliverSm, deliverSmResp } from './deliver-sm.ts'
import { enquireLink, enquireLinkResp, genericNack, unbind, unbindResp } from './link.ts'
import { querySm, querySmResp } from './query-sm.ts'
import { replaceSm, replaceSmResp } from './replace-sm.ts'
import { submitMulti, submitMultiResp } from './submit-multi.ts'
import { submitSm, submitSmResp } from './submit-sm.ts'

export const registry = {
  generic_nack: genericNack,
  bind_receiver: bindReceiver,
  bind_receiver_resp: bindReceiverResp,
  bind_transmitter: bindTransmitter,
  bind_transmitter_resp: bindTransmitterResp,
  query_sm: querySm,
  query_sm_resp: querySmResp,
  submit_sm: submitSm,
  submit_sm_resp: submitSmResp,
  deliver_sm: deliverSm,
  deliver_sm_resp: deliverSmResp,
  unbind,
  unbind_resp: unbindResp,
  replace_sm: replaceSm,
  replace_sm_resp: replaceSmResp,
  cancel_sm: cancelSm,
  cancel_sm_resp: cancelSmResp,
  bind_transceiver: bindTransceiver,
  bind_transceiver_resp: bindTransceiverResp,
  outbind,
  enquire_link: enquireLink,
  enquire_link_resp: enquireLinkResp,
  submit_multi: submitMulti,
  submit_multi_resp: submitMultiResp,
  alert_notification: alertNotification,
  data_sm: dataSm,
  data_sm_resp: dataSmResp,
} as const satisfies { [Name in CommandName]: { readonly name: Name } }

/** The body of a PDU by its name: `PduBody<'submit_sm'>`. */
export type PduBody<Name extends CommandName> = ReturnType<(typeof registry)[Name]['initial']>

/** A decoded PDU, discriminated by `command`. `body` has the fields in camelCase and `tlvs`. */
export interface Pdu<Name extends CommandName = CommandName> {
  readonly command: Name
  readonly id: number
  readonly status: number
  readonly sequence: number
  readonly body: PduBody<Name>
  /** TLVs that came again; the first of each counts (§3.2.4). */
  readonly duplicateTlvCount: number
  /** Size on the wire, header included. */
  readonly octets: number
}

/** Any decoded PDU as a union that `switch (pdu.command)` narrows. */
export type AnyPdu = { [Name in CommandName]: Pdu<Name> }[CommandName]

// Arrays, not a Map: the look-up happens for every PDU, and the ids are small but for the response bit.
const responseBit = 0x80000000
const requestTypes: (PduType | undefined)[] = Array.from({ length: 0x110 }, () => undefined)
const responseTypes: (PduType | undefined)[] = Array.from({ length: 0x110 }, () => undefined)
for (const [name, id] of Object.entries(commandId)) {
  const type = registry[name as CommandName] as unknown as PduType
  if (id >= responseBit) responseTypes[id - responseBit] = type
  else requestTypes[id] = type
}

/** The PDU type of a command_id; undefined for an unknown one. */
export function pduType(id: number): PduType | undefined {
  return id >= responseBit ? responseTypes[id - responseBit] : requestTypes[id]
}

/** The response that belongs to a request; undefined for outbind and alert_notification, which have none. */
export function responseOf(requestId: number): PduType | undefined {
  return requestTypes[requestId] === undefined ? undefined : responseTypes[requestId]
}
