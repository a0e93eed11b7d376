// PDUs field by field, so that each can be made wrong.

/** A header with any four numbers. */
export function rawHeader(length: number, id: number, status: number, sequence: number): Buffer {
  const octets = Buffer.alloc(16)
  for (const [at, value] of [length, id, status, sequence].entries()) octets.writeUInt32BE(value, at * 4)
  return octets
}

/** A PDU of any body, with the right length. */
export function rawPdu(id: number, sequence: number, body: Buffer = Buffer.alloc(0), status = 0): Buffer {
  return Buffer.concat([rawHeader(16 + body.length, id, status, sequence), body])
}

export const text = (characters: string) => Buffer.from(`${characters}\0`, 'latin1')

export function rawTlv(tag: number, value: Buffer, length = value.length): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(tag, 0)
  head.writeUInt16BE(length, 2)
  return Buffer.concat([head, value])
}

/** The fields of a submit_sm in the order of SMPP 3.4 §4.4.1. */
export interface RawSubmit {
  readonly serviceType: Buffer
  readonly sourceTon: number
  readonly sourceNpi: number
  readonly source: Buffer
  readonly destinationTon: number
  readonly destinationNpi: number
  readonly destination: Buffer
  readonly esmClass: number
  readonly protocolId: number
  readonly priority: number
  readonly schedule: Buffer
  readonly validity: Buffer
  readonly registeredDelivery: number
  readonly replaceIfPresent: number
  readonly dataCoding: number
  readonly defaultMessageId: number
  /** sm_length; that of `message` when absent. */
  readonly length?: number
  readonly message: Buffer
  /** TLVs, or what else stands behind the message. */
  readonly rest: Buffer
}

/** A submit_sm that an SMSC accepts, but for the given fields. */
export function rawSubmit(
  from: string,
  to: string,
  sequence: number,
  changed: Partial<RawSubmit> = {},
): Buffer {
  const isNumber = /^\d+$/.test(from)
  const fields: RawSubmit = {
    serviceType: text(''),
    sourceTon: isNumber ? 1 : 5,
    sourceNpi: isNumber ? 1 : 0,
    source: text(from),
    destinationTon: 1,
    destinationNpi: 1,
    destination: text(to),
    esmClass: 0,
    protocolId: 0,
    priority: 0,
    schedule: text(''),
    validity: text(''),
    registeredDelivery: 0,
    replaceIfPresent: 0,
    dataCoding: 0,
    defaultMessageId: 0,
    message: Buffer.from('conformance'),
    rest: Buffer.alloc(0),
    ...changed,
  }
  const { message, length = message.length } = fields
  return rawPdu(
    0x04,
    sequence,
    Buffer.concat([
      fields.serviceType,
      Buffer.of(fields.sourceTon, fields.sourceNpi),
      fields.source,
      Buffer.of(fields.destinationTon, fields.destinationNpi),
      fields.destination,
      Buffer.of(fields.esmClass, fields.protocolId, fields.priority),
      fields.schedule,
      fields.validity,
      Buffer.of(fields.registeredDelivery, fields.replaceIfPresent, fields.dataCoding),
      Buffer.of(fields.defaultMessageId, length & 0xff),
      message,
      fields.rest,
    ]),
  )
}
