// What a source passes to ingest, and how it learns the result.
import type { RecordSource } from '@tollgate/contract/vocabulary.ts'
import type { MessageIdForm } from '@tollgate/smpp/text/message-id.ts'
import type { DefaultAlphabet } from '@tollgate/smpp/text/alphabet.ts'
import type { Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import type { RecordTimes } from './times/record-times.ts'

/** Bits of a record's `flags`. */
export const recordFlags = {
  /** The same message came again while the first one was still unanswered (SMPP 3.4 §5.1.4). */
  duplicateSuspect: 1,
  /** It arrived after the cycle of its receipt time was closed. */
  late: 2,
  /** The peer requested a delivery receipt (SMPP 3.4 §5.2.17): always, or only for a failure. */
  wantsReceipt: 4,
  wantsFailureReceipt: 8,
  /** It is a segment of a long message. Ingest sets it. */
  segment: 16,
  /** It waits for its client and has times of its own (`record_times`). Ingest sets it. */
  hasTimes: 32,
  /** Its peer got one id for several messages, which is in `answered_ids`. */
  sharesAnswer: 64,
  /** A person sent it to try the way of a message. It counts as no SMS. */
  test: 128,
  /** A strict link would have refused its PDU: what did not fit was left out of what it means, and kept. */
  odd: 256,
} as const

/** The fields of a PDU beside addresses, coding and text: kept as they were sent. The bodies of the SMPP library fit. */
export interface SentFields {
  readonly sourceAddrTon: number
  readonly sourceAddrNpi: number
  readonly destAddrTon: number
  readonly destAddrNpi: number
  readonly serviceType: string
  /** Absent in a data_sm, and 0 then. */
  readonly protocolId?: number
  readonly priorityFlag?: number
  /** All parameters but message_payload, which is the body. */
  readonly tlvs: readonly Tlv[]
}

/** The form of a peer's message ids, kept so that its receipt names the message as the answer did. */
export interface IdStyle {
  readonly form: MessageIdForm
  /** At most 8 characters, as SMPP 3.3 requires. */
  readonly isShort: boolean
}

/**
 * One message to store. Ingest keeps the object until it reports the result and reads it again then, so it must not
 * change. Build it as one plain object: ingest allocates no other object for a message.
 */
export interface IngestMessage {
  /** Receipt time, or the provider's timestamp; whole milliseconds since 1970. The rate in force then applies. */
  readonly createdAtMs: number
  /** The destination as E.164 digits without plus, normalised. */
  readonly digits: string
  /** The source address as screens show it; at most 64 characters. */
  readonly displayedSourceAddress: string
  /** From {@link Gateways.idOf}. */
  readonly gatewayId: number
  readonly source: RecordSource
  /** The protocol's sequence number, by which a repeated message is noticed; -1 where there is none. */
  readonly sequence: number
  /** The message as it was on the wire; it is stored encrypted. Addresses at most 255 bytes each, the body at most 65,535. */
  readonly sourceAddress: string
  readonly destinationAddress: string
  readonly esmClass: number
  readonly dataCoding: number
  readonly body: Uint8Array
  /** What else its PDU carried; absent for a source without PDUs. */
  readonly sent?: SentFields
  /** How the peer's data_coding 0 is read; gsm7 by default. */
  readonly defaultAlphabet?: DefaultAlphabet
  /** The form in which the peer gets the id; text by default. */
  readonly idStyle?: IdStyle
  /** Whether the header at the start of the body was made of sar_ parameters, which `sent` still has. */
  readonly isSarHeader?: boolean
  /** What its PDU says of the time of its delivery; absent for at once, and for the usual time. */
  readonly times?: RecordTimes | undefined
  /** The receipts requested, `sharesAnswer`, `test`, `odd`, see {@link recordFlags}; at most 15 bits. */
  readonly flags: number
  /** The network's delivery report, if the source has it already: a code of `records.no_report`; 0 by default. */
  readonly noReport?: number
  readonly completion: Completion
}

/**
 * Why a queued message was not stored. `unavailable`: the database did not store it in time, so the peer should send it
 * again. `rejected`: the database refuses this message. `unknown`, `suspended`: its number, by the newest catalog.
 */
export type FailureReason = 'unavailable' | 'rejected' | RefusalReason

/** There is no such number, or it takes no messages now. */
export type RefusalReason = 'unknown' | 'suspended'

/** The result of {@link Ingest.accept}. `full`: too many messages are waiting; answer as for `unavailable`. */
export type Acceptance = 'queued' | 'full'

/**
 * Receives the results of queued messages: exactly one call for each message. One object may serve any number of
 * messages. None of these methods may throw.
 */
export interface Completion {
  /** The message is committed, with its price and its ledger lines. `messageId` is the id that the peer gets. */
  committed(message: IngestMessage, messageId: string, recordId: number): void
  failed(message: IngestMessage, reason: FailureReason): void
  /**
   * Called instead of `failed` with `unavailable`, for a source that has this method: the connection broke during the
   * commit, and it could not be found out in time whether the message is stored. `isStored` resolves once it is known,
   * or with undefined when this process stops before.
   */
  uncertain?(message: IngestMessage, recordId: number, isStored: Promise<boolean | undefined>): void
  /** Called after all calls for one batch: the moment to write all answers to the socket at once. */
  settled(): void
}
