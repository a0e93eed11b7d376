// §4.8.1 query_sm, §4.8.2 query_sm_resp.
import { commandStatus } from '../values/command-status.ts'
import { definePdu } from './define.ts'
import { cOctet, integer } from './field.ts'

const fields = {
  messageId: cOctet(65, commandStatus.ESME_RINVMSGID),
  sourceAddrTon: integer(),
  sourceAddrNpi: integer(),
  sourceAddr: cOctet(21, commandStatus.ESME_RINVSRCADR),
}
const respFields = {
  messageId: cOctet(65, commandStatus.ESME_RINVMSGID),
  finalDate: cOctet(17),
  messageState: integer(),
  errorCode: integer(),
}

export const querySm = definePdu('query_sm', fields)
export const querySmResp = definePdu('query_sm_resp', respFields)
