// Tracks for one session which answers to stored messages the peer has surely received, as far as this side can know.
import { isOrderlyEnd } from '@tollgate/smpp/session/session-end.ts'
import type { CloseReason } from '@tollgate/smpp/session/session-types.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import type { RecordKey } from '../../ingest/index.ts'
import { unansweredRecordOf, type LostAnswers, type MessageContent } from './lost-answers.ts'
import type { PeerRef, UnansweredRecord } from './store.ts'

export class AnswerTracker {
  readonly #lost: Pick<LostAnswers, 'note' | 'noteRecord' | 'doubt'>
  readonly #sender: PeerRef
  /**
   * Messages whose answers the peer has not read yet. They are lost if the session ends now. Without their texts: thousands
   * of answers wait before the session stops to read, and each text may have 64 KiB.
   */
  #unread: UnansweredRecord[] = []

  constructor(lost: Pick<LostAnswers, 'note' | 'noteRecord' | 'doubt'>, peer: PeerRef) {
    this.#lost = lost
    this.#sender = peer
  }

  /** A message is stored. `isAnswered`: the session still accepted its answer. The hot path. */
  stored(
    session: Pick<Session<unknown>, 'unsentOctets'>,
    isAnswered: boolean,
    message: MessageContent & { readonly createdAtMs: number },
    tlvs: readonly Tlv[],
    recordId: number,
  ): void {
    if (!isAnswered) this.#lost.note(this.#sender, message, tlvs, keyOf(message, recordId))
    // The socket's buffer is not empty: the peer does not read.
    else if (session.unsentOctets > 0)
      this.#unread.push(unansweredRecordOf(this.#sender, message, tlvs, keyOf(message, recordId)))
    else if (this.#unread.length > 0) this.#unread = []
  }

  /** The commit of a message is uncertain, and the peer was answered that it must send it again. */
  uncertain(
    message: MessageContent & { readonly createdAtMs: number },
    tlvs: readonly Tlv[],
    recordId: number,
    isStored: Promise<boolean | undefined>,
  ): void {
    this.#lost.doubt(this.#sender, message, tlvs, keyOf(message, recordId), isStored)
  }

  /** The session is over. After an orderly end the peer has read all answers. */
  sessionEnded(reason: CloseReason): void {
    const unread = this.#unread
    this.#unread = []
    if (isOrderlyEnd(reason)) return
    // A repetition is recognised for some time from now on.
    for (const each of unread) this.#lost.noteRecord({ ...each, atMs: Date.now() })
  }
}

const keyOf = ({ createdAtMs }: { readonly createdAtMs: number }, recordId: number): RecordKey => ({
  createdAtMs,
  recordId,
})
