// Rules for the values of a well-formed request, and the status of §5.1.3 for each breach.
import { tags } from '../tlv/tags.ts'
import { findTlv } from '../tlv/tlv.ts'
import type { CommandName } from '../values/command-id.ts'
import { commandStatus } from '../values/command-status.ts'
import { isDeliverEsmClass, isSubmitEsmClass } from '../values/esm-class.ts'
import { isRegisteredDelivery } from '../values/registered-delivery.ts'
import { parseTime, timeToMs } from '../values/time.ts'
import { isNpi, isTon } from '../values/ton-npi.ts'
import type { Reader } from '../wire/reader.ts'
import { serviceTypeOctetsMax } from './field.ts'
import type { DataSm } from './data-sm.ts'
import type { ReplaceSm } from './replace-sm.ts'
import type { ShortMessage } from './short-message.ts'
import type { SubmitMulti } from './submit-multi.ts'

/** Fails the reader with the first breach in a request's body. Not strict: only breaches that would lose meaning. */
export function checkBody(
  command: CommandName,
  body: unknown,
  reader: Reader,
  isStrict: boolean,
  nowMs: number,
): void {
  switch (command) {
    case 'submit_sm':
    case 'deliver_sm':
      checkShortMessage(body as ShortMessage, command === 'submit_sm', reader, isStrict, nowMs)
      break
    case 'submit_multi':
      checkSubmitMulti(body as SubmitMulti, reader, isStrict, nowMs)
      break
    case 'data_sm':
      if (isStrict) checkDataSm(body as DataSm, reader)
      break
    case 'replace_sm':
      checkTimes(body as ReplaceSm, reader, isStrict, nowMs)
      break
    default:
  }
}

function checkShortMessage(
  body: ShortMessage,
  isSubmit: boolean,
  reader: Reader,
  isStrict: boolean,
  nowMs: number,
): void {
  if (body.tlvs.length > 0) checkOneText(body, reader, isStrict)
  if (isSubmit && (body.scheduleDeliveryTime !== '' || body.validityPeriod !== '')) {
    checkTimes(body, reader, isStrict, nowMs)
  }
  if (!isStrict) return
  checkSource(body, reader)
  checkDestination(body, reader)
  if (!(isSubmit ? isSubmitEsmClass(body.esmClass) : isDeliverEsmClass(body.esmClass))) {
    reader.fail(commandStatus.ESME_RINVESMCLASS, `esm_class ${body.esmClass} is reserved`)
  }
  // §5.2.14 and §5.2.18 concern what an ESME submits; §4.6.1 says 0 for deliver_sm, and many peers send other values.
  if (isSubmit) checkFlags(body, reader)
}

function checkSubmitMulti(body: SubmitMulti, reader: Reader, isStrict: boolean, nowMs: number): void {
  checkOneText(body, reader, isStrict)
  checkTimes(body, reader, isStrict, nowMs)
  if (!isStrict) return
  checkSource(body, reader)
  for (const destination of body.destinations) {
    if (destination.kind === 'list') continue
    const { ton, npi, address } = destination
    checkDestination({ destAddrTon: ton, destAddrNpi: npi, destinationAddr: address }, reader)
  }
  if (!isSubmitEsmClass(body.esmClass)) reader.fail(commandStatus.ESME_RINVESMCLASS, 'a reserved esm_class')
  checkFlags(body, reader)
}

function checkDataSm(body: DataSm, reader: Reader): void {
  checkSource(body, reader)
  checkDestination(body, reader)
  // Both sides send data_sm, so the message types of both directions are valid.
  if (!isDeliverEsmClass(body.esmClass)) reader.fail(commandStatus.ESME_RINVESMCLASS, 'a reserved esm_class')
  if (!isRegisteredDelivery(body.registeredDelivery)) {
    reader.fail(commandStatus.ESME_RINVREGDLVFLG, 'a reserved registered_delivery')
  }
}

// §5.3.2.32: short_message and message_payload must not both be present; merging them would invent a text. Lenient: an
// empty payload, or the same text again, says nothing else.
function checkOneText(
  { shortMessage, tlvs }: Pick<ShortMessage, 'shortMessage' | 'tlvs'>,
  reader: Reader,
  isStrict: boolean,
): void {
  if (shortMessage.length === 0) return
  const payload = findTlv(tlvs, tags.messagePayload)
  if (payload === undefined) return
  if (isStrict || (payload.length > 0 && !payload.equals(shortMessage))) {
    reader.fail(commandStatus.ESME_ROPTPARNOTALLWD, 'both short_message and message_payload')
  }
}

function checkSource(
  body: Pick<ShortMessage, 'serviceType' | 'sourceAddrTon' | 'sourceAddrNpi'>,
  reader: Reader,
): void {
  if (body.serviceType.length >= serviceTypeOctetsMax)
    reader.fail(commandStatus.ESME_RINVSERTYP, 'a service_type of more than 5 characters')
  if (!isTon(body.sourceAddrTon))
    reader.fail(commandStatus.ESME_RINVSRCTON, `source TON ${body.sourceAddrTon}`)
  if (!isNpi(body.sourceAddrNpi))
    reader.fail(commandStatus.ESME_RINVSRCNPI, `source NPI ${body.sourceAddrNpi}`)
}

function checkDestination(
  body: Pick<ShortMessage, 'destAddrTon' | 'destAddrNpi' | 'destinationAddr'>,
  reader: Reader,
): void {
  if (!isTon(body.destAddrTon))
    reader.fail(commandStatus.ESME_RINVDSTTON, `destination TON ${body.destAddrTon}`)
  if (!isNpi(body.destAddrNpi))
    reader.fail(commandStatus.ESME_RINVDSTNPI, `destination NPI ${body.destAddrNpi}`)
  if (body.destinationAddr === '') reader.fail(commandStatus.ESME_RINVDSTADR, 'no destination')
}

function checkFlags(
  body: Pick<ShortMessage, 'priorityFlag' | 'registeredDelivery' | 'replaceIfPresentFlag'>,
  reader: Reader,
): void {
  if (body.priorityFlag > 3) reader.fail(commandStatus.ESME_RINVPRTFLG, `priority ${body.priorityFlag}`)
  if (!isRegisteredDelivery(body.registeredDelivery)) {
    reader.fail(
      commandStatus.ESME_RINVREGDLVFLG,
      `registered_delivery ${body.registeredDelivery} is reserved`,
    )
  }
  if (body.replaceIfPresentFlag > 1) reader.fail(commandStatus.ESME_RINVREPFLAG, 'replace_if_present above 1')
}

// §7.1.1. A time that cannot be read is always refused, a time in the past only when strict.
function checkTimes(
  body: Pick<ShortMessage, 'scheduleDeliveryTime' | 'validityPeriod'>,
  reader: Reader,
  isStrict: boolean,
  nowMs: number,
): void {
  if (isBadTime(body.scheduleDeliveryTime, isStrict, nowMs)) {
    reader.fail(commandStatus.ESME_RINVSCHED, 'schedule_delivery_time cannot be read or is past')
  }
  if (isBadTime(body.validityPeriod, isStrict, nowMs)) {
    reader.fail(commandStatus.ESME_RINVEXPIRY, 'validity_period cannot be read or is past')
  }
}

// Clocks differ, and "now" is past when it arrives: peers that schedule for now mean at once.
const timeGraceMs = 60_000

function isBadTime(text: string, isStrict: boolean, nowMs: number): boolean {
  if (text === '') return false
  if (parseTime(text).kind === 'invalid') return true
  const atMs = timeToMs(text, nowMs)
  return isStrict && atMs !== undefined && atMs < nowMs - timeGraceMs
}
