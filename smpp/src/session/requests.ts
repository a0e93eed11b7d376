// Small facts about requests that a session needs by command_id.
import type { PduBody } from '../pdu/registry.ts'
import { commandId } from '../values/command-id.ts'
import { commandStatus } from '../values/command-status.ts'
import type { BindMode, BindRequest } from './handlers.ts'

/** What we bind with to an SMSC. */
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

/** What the command_id of a bind (§4.1) binds as; that of no bind counts as transceiver. */
export function bindMode(id: number): BindMode {
  if (id === commandId.bind_receiver) return 'receiver'
  return id === commandId.bind_transmitter ? 'transmitter' : 'transceiver'
}

/** The name of the bind that binds as `mode` (§4.1). */
export function bindCommand(mode: BindMode): `bind_${BindMode}` {
  return `bind_${mode}`
}

/** What `onBind` is asked, from the body of any of the three binds (§4.1). */
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

/** How a request is refused where nobody handles it: the error that §5.1.3 has for its kind. */
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
