// §4.10.1 replace_sm, §4.10.2 replace_sm_resp.
import { commandStatus } from '../values/command-status.ts'
import { type BodyOf, definePdu } from './define.ts'
import { cOctet, integer, shortMessage } from './field.ts'

const fields = {
  messageId: cOctet(65, commandStatus.ESME_RINVMSGID),
  sourceAddrTon: integer(),
  sourceAddrNpi: integer(),
  sourceAddr: cOctet(21, commandStatus.ESME_RINVSRCADR),
  scheduleDeliveryTime: cOctet(17, commandStatus.ESME_RINVSCHED),
  validityPeriod: cOctet(17, commandStatus.ESME_RINVEXPIRY),
  registeredDelivery: integer(),
  smDefaultMsgId: integer(),
  shortMessage: shortMessage(),
}

export type ReplaceSm = BodyOf<typeof fields>

export const replaceSm = definePdu('replace_sm', fields)
export const replaceSmResp = definePdu('replace_sm_resp', {})
