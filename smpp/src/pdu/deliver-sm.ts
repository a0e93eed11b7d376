// §4.6.1 deliver_sm, §4.6.2 deliver_sm_resp: its message_id is unused and empty.
import { commandStatus } from '../values/command-status.ts'
import { definePdu } from './define.ts'
import { cOctet } from './field.ts'
import { readShortMessageBody, shortMessageFields } from './short-message.ts'

export const deliverSm = definePdu('deliver_sm', shortMessageFields, readShortMessageBody)
export const deliverSmResp = definePdu('deliver_sm_resp', {
  messageId: cOctet(65, commandStatus.ESME_RINVMSGID),
})
