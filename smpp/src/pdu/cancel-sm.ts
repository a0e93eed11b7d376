// §4.9.1 cancel_sm, §4.9.2 cancel_sm_resp.
import { commandStatus } from '../values/command-status.ts'
import { definePdu } from './define.ts'
import { cOctet, integer } from './field.ts'

const fields = {
  serviceType: cOctet(6, commandStatus.ESME_RINVSERTYP),
  messageId: cOctet(65, commandStatus.ESME_RINVMSGID),
  sourceAddrTon: integer(),
  sourceAddrNpi: integer(),
  sourceAddr: cOctet(21, commandStatus.ESME_RINVSRCADR),
  destAddrTon: integer(),
  destAddrNpi: integer(),
  destinationAddr: cOctet(21, commandStatus.ESME_RINVDSTADR),
}

export const cancelSm = definePdu('cancel_sm', fields)
export const cancelSmResp = definePdu('cancel_sm_resp', {})
