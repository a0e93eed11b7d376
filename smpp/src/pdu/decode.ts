// Decodes one frame into a PDU, or into the error to answer. Never throws, whatever the bytes are.
import { commandStatus } from '../values/command-status.ts'
import { isResponse } from '../values/command-id.ts'
import { empty, Reader } from '../wire/reader.ts'
import { checkBody } from './checks.ts'
import type { PduType } from './define.ts'
import { type AnyPdu, pduType } from './registry.ts'

/** A PDU that cannot be accepted; the stream continues. */
export interface PduProblem {
  readonly kind: 'problem'
  readonly id: number
  readonly sequence: number
  /** The status of the request's own response; for an unknown command, of generic_nack. */
  readonly status: number
  readonly isUnknownCommand: boolean
  readonly reason: string
  /** The whole PDU, as a view of the bytes that were decoded. */
  readonly frame: Buffer
}

// A class, so that V8 has one hidden class for all decoded PDUs; AnyPdu is its type for callers.
export class DecodedPdu {
  readonly command: string
  readonly id: number
  readonly status: number
  readonly sequence: number
  readonly body: unknown
  readonly octets: number
  duplicateTlvCount: number
  /** A strict reader would have refused it. */
  readonly isOdd: boolean
  receivedAtMs = 0
  isRepeatedSequence = false
  /** The session that still has to answer; undefined when nobody has. */
  owner: object | undefined = undefined

  constructor(
    type: PduType,
    status: number,
    sequence: number,
    body: unknown,
    octets: number,
    duplicates: number,
    isOdd: boolean,
  ) {
    this.command = type.name
    this.id = type.id
    this.status = status
    this.sequence = sequence
    this.body = body
    this.octets = octets
    this.duplicateTlvCount = duplicates
    this.isOdd = isOdd
  }
}

let duplicateCount = 0
const countDuplicate = (): void => {
  duplicateCount += 1
}

/**
 * Decodes bytes[start, end), which must be one whole frame of at least 16 octets.
 * Byte fields of the body are views of `bytes`. `nowMs` judges schedule and validity when strict.
 */
export function decodePdu(
  bytes: Buffer,
  start: number,
  end: number,
  isStrict: boolean,
  nowMs: number,
): AnyPdu | PduProblem {
  const id = bytes.readUInt32BE(start + 4)
  const status = bytes.readUInt32BE(start + 8)
  const sequence = bytes.readUInt32BE(start + 12)
  const type = pduType(id)
  if (type === undefined) {
    const reason = `unknown command 0x${id.toString(16).padStart(8, '0')}`
    return {
      kind: 'problem',
      id,
      sequence,
      status: commandStatus.ESME_RINVCMDID,
      isUnknownCommand: true,
      reason,
      frame: bytes.subarray(start, end),
    }
  }
  // §4.4.2: a response may have no body, mostly when its status is an error.
  if (end - start === 16 && isResponse(id)) {
    return new DecodedPdu(type, status, sequence, type.initial(), 16, 0, false) as unknown as AnyPdu
  }
  const reader = new Reader(bytes, start + 16, end, !isStrict)
  duplicateCount = 0
  const body = type.read(reader, countDuplicate)
  if (reader.failure === 0 && reader.at < end)
    reader.fail(commandStatus.ESME_RINVOPTPARSTREAM, 'trailing octets')
  if (reader.failure === 0) checkBody(type.name, body, reader, isStrict, nowMs)
  // A response cannot be answered with an error, and its status is known: keep it with the fields that could be read.
  if (reader.failure !== 0 && !isResponse(id)) {
    return {
      kind: 'problem',
      id,
      sequence,
      status: reader.failure,
      isUnknownCommand: false,
      reason: reader.reason,
      frame: bytes.subarray(start, end),
    }
  }
  const isOdd = reader.isOdd || (!isStrict && isOddBody(type, body, nowMs))
  return new DecodedPdu(type, status, sequence, body, end - start, duplicateCount, isOdd) as unknown as AnyPdu
}

/** Whether a strict reader would refuse the values of a body that a lenient one has taken. */
function isOddBody({ name }: PduType, body: unknown, nowMs: number): boolean {
  const strict = new Reader(empty, 0, 0)
  checkBody(name, body, strict, true, nowMs)
  return strict.failure !== 0
}

/** Whether a result of decodePdu is a problem. */
export function isProblem(result: AnyPdu | PduProblem): result is PduProblem {
  // instanceof is cheaper than a look-up of a property that is mostly absent.
  return !(result instanceof DecodedPdu)
}
