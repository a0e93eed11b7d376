// §4.7.1 data_sm, §4.7.2 data_sm_resp: both sides may send it; the text is in message_payload.
import { commandStatus } from '../values/command-status.ts'
import { type BodyOf, definePdu } from './define.ts'
import { cOctet, integer, serviceType } from './field.ts'

const fields = {
  serviceType: serviceType(),
  sourceAddrTon: integer(),
  sourceAddrNpi: integer(),
  sourceAddr: cOctet(65, commandStatus.ESME_RINVSRCADR),
  destAddrTon: integer(),
  destAddrNpi: integer(),
  destinationAddr: cOctet(65, commandStatus.ESME_RINVDSTADR),
  esmClass: integer(),
  registeredDelivery: integer(),
  dataCoding: integer(),
}

export type DataSm = BodyOf<typeof fields>

export const dataSm = definePdu('data_sm', fields)
export const dataSmResp = definePdu('data_sm_resp', { messageId: cOctet(65, commandStatus.ESME_RINVMSGID) })
