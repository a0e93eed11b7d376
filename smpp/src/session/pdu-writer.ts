// Encodes every PDU that a session sends, counts it, and shows it to a recorder.
import { encodeHeaderOnly, encodeMessageId, encodePdu } from '../pdu/encode.ts'
import { type PduBody, responseOf } from '../pdu/registry.ts'
import { commandId, type CommandName } from '../values/command-id.ts'
import { commandStatus } from '../values/command-status.ts'
import type { IncomingRequest, PduHeader } from './session-types.ts'
import { copyForTap } from './masking.ts'
import type { WriteBuffer } from './write-buffer.ts'

interface PduListener {
  counted(id: number, status: number): void
  /** The recorder, while there is one. */
  tap(): ((direction: 'out', header: PduHeader, raw: Buffer) => void) | undefined
}

/** Writes PDUs into the write buffer. A body that does not fit SMPP is not written; the return value says why. */
export class PduWriter {
  readonly #writeBuffer: WriteBuffer
  readonly #listener: PduListener
  #isStopped = false
  /** False towards a peer older than SMPP 3.4 (§3.4.2). */
  withTlvs = true

  constructor(writeBuffer: WriteBuffer, listener: PduListener) {
    this.#writeBuffer = writeBuffer
    this.#listener = listener
  }

  /** The session is over: further headers are dropped. */
  stop(): void {
    this.#isStopped = true
  }

  /** A PDU of 16 octets. */
  header(id: number, status: number, sequence: number): void {
    if (this.#isStopped) return
    const start = this.#writeBuffer.bufferedOctets
    encodeHeaderOnly(this.#writeBuffer.writer, id, status, sequence)
    this.#sent(id, status, sequence, start)
  }

  /** Sends the response to a request: header-only unless it succeeded and has a body (§4.4.2). */
  answer(request: IncomingRequest, status: number, messageId: string): void {
    const { id, sequence, command } = request
    const responseId = id + 0x80000000
    let fault: string | undefined
    if (status !== 0 || command === 'cancel_sm' || command === 'replace_sm')
      this.header(responseId, status, sequence)
    else if (command === 'submit_sm') fault = this.#messageId(responseId, sequence, messageId)
    else if (command !== 'alert_notification') fault = this.pdu(`${command}_resp`, sequence, { messageId })
    if (fault !== undefined) this.header(responseId, commandStatus.ESME_RSYSERR, sequence)
  }

  /** Sends the response to a request with a whole body and status 0. */
  answerWith(request: IncomingRequest & { command: 'query_sm' | 'submit_multi' }, body: object): void {
    const { id, sequence, command } = request
    const fault = this.pdu(`${command}_resp`, sequence, body)
    if (fault !== undefined) this.header(id + 0x80000000, commandStatus.ESME_RSYSERR, sequence)
  }

  /** Answers a request with an error: header-only in its own response, or generic_nack when it has none. */
  refuse(requestId: number, sequence: number, status: number): void {
    this.header(responseOf(requestId)?.id ?? commandId.generic_nack, status, sequence)
  }

  /** A successful response with only a message_id: the hot path. */
  #messageId(id: number, sequence: number, messageId: string): string | undefined {
    const start = this.#writeBuffer.bufferedOctets
    const fault = encodeMessageId(this.#writeBuffer.writer, id, sequence, messageId)
    if (fault === undefined) this.#sent(id, 0, sequence, start)
    return fault
  }

  /** Sends any PDU with status 0. Returns an error text when its body does not fit. */
  pdu<Name extends CommandName>(name: Name, sequence: number, body: object): string | undefined {
    const start = this.#writeBuffer.bufferedOctets
    const known = body as Partial<PduBody<Name>>
    const fault = encodePdu(this.#writeBuffer.writer, name, 0, sequence, known, this.withTlvs)
    if (fault === undefined) this.#sent(commandId[name], 0, sequence, start)
    return fault
  }

  #sent(id: number, status: number, sequence: number, start: number): void {
    this.#listener.counted(id, status)
    const tap = this.#listener.tap()
    if (tap !== undefined) {
      const { bytes, at } = this.#writeBuffer.writer
      tap('out', { id, status, sequence }, copyForTap(bytes, start, at, id))
    }
    this.#writeBuffer.appended()
  }
}
