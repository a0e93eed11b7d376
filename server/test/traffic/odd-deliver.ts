// deliver_sm as real SMSCs have sent them, octet by octet.
import { rawSubmit, text, type RawSubmit } from '@tollgate/smpp/conformance/raw-pdus.ts'

const deliverSmId = 5
let sequence = 70_000

/** A deliver_sm from a telephone to `to`, but for the given fields; each has a sequence number of its own. */
export function rawDeliver(to: string, changed: Partial<RawSubmit> = {}): Buffer {
  const octets = rawSubmit('447700900555', to, (sequence += 1), changed)
  octets.writeUInt32BE(deliverSmId, 4)
  return octets
}

/** A receipt with this text, and TLVs in hexadecimal. */
export function rawReceipt(message: string | Buffer, tlvs = '', changed: Partial<RawSubmit> = {}): Buffer {
  return rawDeliver('Tollgate', {
    esmClass: 4,
    destinationTon: 5,
    destinationNpi: 0,
    message: Buffer.from(message),
    rest: Buffer.from(tlvs, 'hex'),
    ...changed,
  })
}

export { text }
