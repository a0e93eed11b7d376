// One frame → one PDU, or what to answer instead. Never throws, whatever the bytes.
import { commandStatus } from '../values/command-status.ts'
import { isResponse } from '../values/command-id.ts'
import { Reader } from '../wire/reader.ts'
import { checkBody } from './checks.ts'
import type { PduType } from './define.ts'
import { type AnyPdu, pduType } from './registry.ts'

/** A PDU that cannot be taken; the stream goes on. */
export interface PduProblem {
  readonly kind: 'problem'
  readonly id: number
  readonly sequence: number
  /** For the request's own response; for an unknown command, for generic_nack. */
  readonly status: number
  readonly isUnknownCommand: boolean
  readonly reason: string
}

// The class gives every decoded PDU one hidden shape; AnyPdu is its typed face.
export class DecodedPdu {
  readonly command: string
  readonly id: number
  readonly status: number
  readonly sequence: number
  readonly body: unknown
  readonly octets: number
  duplicateTlvCount: number
  receivedAtMs = 0
  isRepeatedSequence = false
  /** The session that still owes the answer: what makes a request its own token. */
  owner: object | undefined = undefined

  constructor(
    type: PduType,
    status: number,
    sequence: number,
    body: unknown,
    octets: number,
    duplicates: number,
  ) {
    this.command = type.name
    this.id = type.id
    this.status = status
    this.sequence = sequence
    this.body = body
    this.octets = octets
    this.duplicateTlvCount = duplicates
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
    }
  }
  // §4.4.2: a response may come without a body, above all when its status is an error.
  if (end - start === 16 && isResponse(id)) {
    return new DecodedPdu(type, status, sequence, type.initial(), 16, 0) as unknown as AnyPdu
  }
  const reader = new Reader(bytes, start + 16, end)
  duplicateCount = 0
  const body = type.read(reader, isStrict, countDuplicate)
  if (reader.failure === 0 && reader.at < end)
    reader.fail(commandStatus.ESME_RINVOPTPARSTREAM, 'trailing octets')
  if (reader.failure === 0) checkBody(type.name, body, reader, isStrict, nowMs)
  // A response cannot be answered with an error, and its status is known: keep it, with what could be read.
  if (reader.failure !== 0 && !isResponse(id)) {
    return {
      kind: 'problem',
      id,
      sequence,
      status: reader.failure,
      isUnknownCommand: false,
      reason: reader.reason,
    }
  }
  return new DecodedPdu(type, status, sequence, body, end - start, duplicateCount) as unknown as AnyPdu
}

/** Tells the two results of decodePdu apart. */
export function isProblem(result: AnyPdu | PduProblem): result is PduProblem {
  // Every PDU is of the one class, which is cheaper to ask than a property that is mostly absent.
  return !(result instanceof DecodedPdu)
}
