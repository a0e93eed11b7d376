// What a source gives to ingest, and what it hears back.
import type { RecordSource } from '@tollgate/contract/vocabulary.ts'

/** Bits of a record's `flags`. Bits from 1 << 4 up are free for what a source found odd about a message. */
export const recordFlags = {
  /** The same message came again while the first one was still unanswered (SMPP 3.4 §5.1.4). */
  duplicateSuspect: 1,
  /** It came after the cycle of its receipt time had been closed. */
  late: 2,
  /** Its sender asked for a delivery receipt (SMPP 3.4 §5.2.17): in any case, or only when it fails. */
  wantsReceipt: 4,
  wantsFailureReceipt: 8,
} as const

/**
 * One message part to store. Ingest keeps the object until it answers and reads it once more at the commit, so it must
 * not change meanwhile. Build it as one plain object: it is the only one that a message costs.
 */
export interface IngestMessage {
  /** Receipt time, or the provider's timestamp; whole milliseconds since 1970. The rate in force then applies. */
  readonly createdAtMs: number
  /** The destination as E.164 digits without plus, normalised. */
  readonly digits: string
  /** The sender as shown; at most 64 characters. */
  readonly sender: string
  /** From {@link Gateways.idOf}. */
  readonly gatewayId: number
  readonly source: RecordSource
  /** The protocol's number of the request, to tell a repeated one; -1 where there is none. */
  readonly sequence: number
  /** The message as it was on the wire, kept sealed. Addresses at most 255 bytes each, the body at most 65,535. */
  readonly sourceAddress: string
  readonly destinationAddress: string
  readonly esmClass: number
  readonly dataCoding: number
  readonly body: Uint8Array
  /** The receipts asked for, and bits from 1 << 4 up, see {@link recordFlags}; at most 15 bits. */
  readonly flags: number
  /** The network's report, where the source knows it already: a code as in records; none unless given. */
  readonly noReport?: number
  readonly completion: Completion
}

/**
 * Why a queued message was not stored. `unavailable`: the database could not take it in time, so it is worth sending
 * again. `rejected`: the database refused this very message. `unknown`, `suspended`: its number, by the newest catalog.
 */
export type FailureReason = 'unavailable' | 'rejected' | RefusalReason

/** Nobody has that number, or it takes no messages now. */
export type RefusalReason = 'unknown' | 'suspended'

/** What {@link Ingest.accept} says. `full`: too much is waiting already; answer as for `unavailable`. */
export type Acceptance = 'queued' | 'full'

/**
 * Hears what became of queued messages: exactly one call for each. One object may serve any number of messages.
 * None of these may throw.
 */
export interface Completion {
  /** The message is committed, with its price and its ledger effect. `messageId` is what the peer is told. */
  committed(message: IngestMessage, messageId: string, recordId: number): void
  failed(message: IngestMessage, reason: FailureReason): void
  /**
   * Instead of `failed` with `unavailable`, where the source wants to know: the connection broke around the commit, and
   * the database has not said in time what became of it. `isStored` resolves once it has; with undefined when this
   * process ends before.
   */
  doubted?(message: IngestMessage, recordId: number, isStored: Promise<boolean | undefined>): void
  /** After the calls for one batch: the moment to write all answers at once. */
  settled(): void
}
