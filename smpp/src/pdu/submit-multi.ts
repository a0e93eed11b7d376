// §4.5.1 submit_multi, §4.5.2 submit_multi_resp: one message to up to 254 addresses or lists.
import { commandStatus } from '../values/command-status.ts'
import type { Reader } from '../wire/reader.ts'
import { type BodyOf, definePdu } from './define.ts'
import { cOctet, type Field } from './field.ts'
import { shortMessageFields } from './short-message.ts'

/** §4.5.1.1: an address of a phone (dest_flag 1) or the name of a distribution list (dest_flag 2). */
export type Destination =
  | { kind: 'address'; ton: number; npi: number; address: string }
  | { kind: 'list'; name: string }

/** §4.5.2.1: a destination that was not accepted, and why. */
export interface UnsuccessfulDestination {
  ton: number
  npi: number
  address: string
  status: number
}

const tooShort = commandStatus.ESME_RINVCMDLEN

function readDestination(reader: Reader): Destination | undefined {
  const flag = reader.octet(tooShort)
  if (flag === 1) {
    const ton = reader.octet(tooShort)
    const npi = reader.octet(tooShort)
    return {
      kind: 'address',
      ton,
      npi,
      address: reader.cOctetString(21, tooShort, commandStatus.ESME_RINVDSTADR),
    }
  }
  if (flag === 2)
    return { kind: 'list', name: reader.cOctetString(21, tooShort, commandStatus.ESME_RINVDLNAME) }
  reader.fail(commandStatus.ESME_RINVDESTFLAG, `dest_flag ${flag} is neither 1 nor 2`)
  return undefined
}

const destinations: Field<readonly Destination[]> = {
  shape: { kind: 'destinations' },
  initial: [],
  read(reader) {
    const count = reader.octet(tooShort)
    // §5.2.24: 1 to 254 destinations.
    if (count === 0 || count > 254) reader.fail(commandStatus.ESME_RINVNUMDESTS, `${count} destinations`)
    const found: Destination[] = []
    while (found.length < count && reader.failure === 0) {
      const destination = readDestination(reader)
      if (destination !== undefined) found.push(destination)
    }
    return found
  },
  write(writer, list) {
    if (list.length === 0 || list.length > 254) writer.fail(`${list.length} destinations, 1 to 254 fit`)
    writer.integer(1, list.length & 0xff)
    for (const destination of list) {
      writer.integer(1, destination.kind === 'address' ? 1 : 2)
      if (destination.kind === 'list') writer.cOctetString(destination.name, 21)
      else {
        writer.integer(1, destination.ton)
        writer.integer(1, destination.npi)
        writer.cOctetString(destination.address, 21)
      }
    }
  },
}

const failures: Field<readonly UnsuccessfulDestination[]> = {
  shape: { kind: 'failures' },
  initial: [],
  read(reader) {
    const count = reader.octet(tooShort)
    const found: UnsuccessfulDestination[] = []
    while (found.length < count && reader.failure === 0) {
      const ton = reader.octet(tooShort)
      const npi = reader.octet(tooShort)
      const address = reader.cOctetString(21, tooShort, commandStatus.ESME_RINVDSTADR)
      found.push({ ton, npi, address, status: reader.integer(4, tooShort) })
    }
    return found
  },
  write(writer, list) {
    writer.integer(1, list.length)
    for (const { ton, npi, address, status } of list) {
      writer.integer(1, ton)
      writer.integer(1, npi)
      writer.cOctetString(address, 21)
      writer.integer(4, status)
    }
  },
}

const { serviceType, sourceAddrTon, sourceAddrNpi, sourceAddr } = shortMessageFields
const { esmClass, protocolId, priorityFlag, scheduleDeliveryTime, validityPeriod } = shortMessageFields
const { registeredDelivery, replaceIfPresentFlag, dataCoding, smDefaultMsgId, shortMessage } =
  shortMessageFields

const fields = {
  serviceType,
  sourceAddrTon,
  sourceAddrNpi,
  sourceAddr,
  destinations,
  esmClass,
  protocolId,
  priorityFlag,
  scheduleDeliveryTime,
  validityPeriod,
  registeredDelivery,
  replaceIfPresentFlag,
  dataCoding,
  smDefaultMsgId,
  shortMessage,
}

export type SubmitMulti = BodyOf<typeof fields>

export const submitMulti = definePdu('submit_multi', fields)
export const submitMultiResp = definePdu('submit_multi_resp', {
  messageId: cOctet(65, commandStatus.ESME_RINVMSGID),
  failures,
})
