// Properties of requests by command_id.
import type { PduBody } from '../pdu/registry.ts'
import { commandId, isResponse } from '../values/command-id.ts'
import { commandStatus } from '../values/command-status.ts'
import type { BindMode, BindRequest } from './session-types.ts'

/** The fields of our bind to an SMSC. */
export interface ClientBind {
  mode: BindMode
  systemId: string
  password: string
  systemType: string
  interfaceVersion: number
  addrTon: number
  addrNpi: number
  addressRange: string
}

/** The mode of a bind by its command_id (§4.1); any other command_id counts as transceiver. */
export function bindMode(id: number): BindMode {
  if (id === commandId.bind_receiver) return 'receiver'
  return id === commandId.bind_transmitter ? 'transmitter' : 'transceiver'
}

/** The command name of a bind of this mode (§4.1). */
export function bindCommand(mode: BindMode): `bind_${BindMode}` {
  return `bind_${mode}`
}

/** The argument of `onBind`, from the body of any of the three binds (§4.1). */
export function bindRequest(mode: BindMode, body: PduBody<'bind_transceiver'>): BindRequest {
  const { systemId, password, systemType, interfaceVersion, addrTon, addrNpi, addressRange } = body
  return { mode, systemId, password, systemType, interfaceVersion, addrTon, addrNpi, addressRange }
}

/** Whether a request counts against messages a second. */
export function isRated(id: number): boolean {
  return (
    id === commandId.submit_sm ||
    id === commandId.deliver_sm ||
    id === commandId.data_sm ||
    id === commandId.submit_multi
  )
}

/**
 * The cost of one PDU. A refused message or an unexpected response (1) is little more than read; an enquire_link, a
 * malformed or an unknown PDU (10) is also answered; query_sm (20) reads from the database.
 */
export function pointsOf(id: number): number {
  if (isResponse(id) || isRated(id)) return 1
  return id === commandId.query_sm ? 20 : 10
}

/** The status of §5.1.3 that refuses a request when there is no `onRequest` handler. */
export function refusalStatus(id: number): number {
  switch (id) {
    case commandId.query_sm:
      return commandStatus.ESME_RQUERYFAIL
    case commandId.cancel_sm:
      return commandStatus.ESME_RCANCELFAIL
    case commandId.replace_sm:
      return commandStatus.ESME_RREPLACEFAIL
    case commandId.deliver_sm:
      return commandStatus.ESME_RX_T_APPN
    default:
      return commandStatus.ESME_RSUBMITFAIL
  }
}
