// §4.4.1 submit_sm, §4.4.2 submit_sm_resp.
import { commandStatus } from '../values/command-status.ts'
import { definePdu } from './define.ts'
import { cOctet } from './field.ts'
import { readShortMessageBody, shortMessageFields } from './short-message.ts'

export const submitSm = definePdu('submit_sm', shortMessageFields, readShortMessageBody)
export const submitSmResp = definePdu('submit_sm_resp', {
  messageId: cOctet(65, commandStatus.ESME_RINVMSGID),
})
