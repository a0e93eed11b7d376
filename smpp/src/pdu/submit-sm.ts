// §4.4.1 submit_sm, §4.4.2 submit_sm_resp.
import { commandStatus } from '../values/command-status.ts'
import { type BodyOf, definePdu } from './define.ts'
import { cOctet } from './field.ts'
import { readShortMessageBody, shortMessageFields } from './short-message.ts'

const respFields = { messageId: cOctet(65, commandStatus.ESME_RINVMSGID) }

export type SubmitSmResp = BodyOf<typeof respFields>

export const submitSm = definePdu('submit_sm', shortMessageFields, readShortMessageBody)
export const submitSmResp = definePdu('submit_sm_resp', respFields)
