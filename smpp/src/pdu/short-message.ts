// The one layout of submit_sm (§4.4.1) and deliver_sm (§4.6.1), and its hand-written reader:
// this is the hot path of a gateway. A test checks that it equals reading by the field list.
import { noTlvs, readTlvs } from '../tlv/tlv.ts'
import { commandStatus } from '../values/command-status.ts'
import type { Reader } from '../wire/reader.ts'
import type { BodyOf } from './define.ts'
import {
  cOctet,
  integer,
  lenientServiceTypeOctetsMax,
  readShortMessage,
  serviceType,
  serviceTypeOctetsMax,
  shortMessage,
} from './field.ts'

export const shortMessageFields = {
  serviceType: serviceType(),
  sourceAddrTon: integer(),
  sourceAddrNpi: integer(),
  sourceAddr: cOctet(21, commandStatus.ESME_RINVSRCADR),
  destAddrTon: integer(),
  destAddrNpi: integer(),
  destinationAddr: cOctet(21, commandStatus.ESME_RINVDSTADR),
  esmClass: integer(),
  protocolId: integer(),
  priorityFlag: integer(),
  scheduleDeliveryTime: cOctet(17, commandStatus.ESME_RINVSCHED),
  validityPeriod: cOctet(17, commandStatus.ESME_RINVEXPIRY),
  registeredDelivery: integer(),
  replaceIfPresentFlag: integer(),
  dataCoding: integer(),
  smDefaultMsgId: integer(),
  shortMessage: shortMessage(),
}

export type ShortMessage = BodyOf<typeof shortMessageFields>

const tooShort = commandStatus.ESME_RINVCMDLEN

/** Reads the body in one go, each property stored in the same order so that all bodies share one shape. */
export function readShortMessageBody(reader: Reader, onDuplicateTlv: () => void): ShortMessage {
  const serviceTypeMax = reader.isLenient ? lenientServiceTypeOctetsMax : serviceTypeOctetsMax
  return {
    serviceType: reader.cOctetString(serviceTypeMax, tooShort, commandStatus.ESME_RINVSERTYP),
    sourceAddrTon: reader.octet(tooShort),
    sourceAddrNpi: reader.octet(tooShort),
    sourceAddr: reader.cOctetString(21, tooShort, commandStatus.ESME_RINVSRCADR),
    destAddrTon: reader.octet(tooShort),
    destAddrNpi: reader.octet(tooShort),
    destinationAddr: reader.cOctetString(21, tooShort, commandStatus.ESME_RINVDSTADR),
    esmClass: reader.octet(tooShort),
    protocolId: reader.octet(tooShort),
    priorityFlag: reader.octet(tooShort),
    scheduleDeliveryTime: reader.cOctetString(17, tooShort, commandStatus.ESME_RINVSCHED),
    validityPeriod: reader.cOctetString(17, tooShort, commandStatus.ESME_RINVEXPIRY),
    registeredDelivery: reader.octet(tooShort),
    replaceIfPresentFlag: reader.octet(tooShort),
    dataCoding: reader.octet(tooShort),
    smDefaultMsgId: reader.octet(tooShort),
    shortMessage: readShortMessage(reader),
    tlvs: reader.at === reader.end ? noTlvs : readTlvs(reader, onDuplicateTlv),
  }
}
