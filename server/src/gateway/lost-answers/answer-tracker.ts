// Tracks for one session which answers to stored messages the peer has surely received, as far as this side can know.
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import type { RecordKey } from '../../records/index.ts'
import type { LostAnswers, MessageContent } from './lost-answers.ts'
import type { PeerRef } from './store.ts'

export class AnswerTracker {
  readonly #lost: Pick<LostAnswers, 'note' | 'doubt'>
  readonly #sender: PeerRef
  /** Messages whose answers the peer has not read yet. They are lost if the session ends now. */
  #unread: { readonly message: MessageContent; readonly tlvs: readonly Tlv[]; readonly key: RecordKey }[] = []

  constructor(lost: Pick<LostAnswers, 'note' | 'doubt'>, peer: PeerRef) {
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
    if (!isAnswered)
      this.#lost.note(this.#sender, message, tlvs, { createdAtMs: message.createdAtMs, recordId })
    // The socket's buffer is not empty: the peer does not read.
    else if (session.unsentOctets > 0)
      this.#unread.push({ message, tlvs, key: { createdAtMs: message.createdAtMs, recordId } })
    else if (this.#unread.length > 0) this.#unread = []
  }

  /** The commit of a message is uncertain, and the peer was answered that it must send it again. */
  uncertain(
    message: MessageContent & { readonly createdAtMs: number },
    tlvs: readonly Tlv[],
    recordId: number,
    isStored: Promise<boolean | undefined>,
  ): void {
    this.#lost.doubt(this.#sender, message, tlvs, { createdAtMs: message.createdAtMs, recordId }, isStored)
  }

  /** The session is over. After an orderly end (unbind) the peer has read all answers. */
  sessionEnded(isOrderly: boolean): void {
    const unread = this.#unread
    this.#unread = []
    if (!isOrderly)
      for (const { message, tlvs, key } of unread) this.#lost.note(this.#sender, message, tlvs, key)
  }
}
