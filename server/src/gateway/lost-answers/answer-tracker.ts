// Of the stored messages of one session: whose answers have reached the peer, as far as this side can know.
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import type { RecordKey } from '../../records/index.ts'
import type { LostAnswers, Sent } from './lost-answers.ts'
import type { Sender } from './store.ts'

export class Told {
  readonly #lost: Pick<LostAnswers, 'note' | 'doubt'>
  readonly #sender: Sender
  /** Their answers wait for the peer to read; lost with the session. */
  #unsure: { readonly message: Sent; readonly tlvs: readonly Tlv[]; readonly key: RecordKey }[] = []

  constructor(lost: Pick<LostAnswers, 'note' | 'doubt'>, sender: Sender) {
    this.#lost = lost
    this.#sender = sender
  }

  /** A message is stored; `isAnswered` says whether the session still took its answer. The hot path. */
  stored(
    session: Pick<Session<unknown>, 'unsentOctets'>,
    isAnswered: boolean,
    message: Sent & { readonly createdAtMs: number },
    tlvs: readonly Tlv[],
    recordId: number,
  ): void {
    if (!isAnswered)
      this.#lost.note(this.#sender, message, tlvs, { createdAtMs: message.createdAtMs, recordId })
    // The peer does not read its answers.
    else if (session.unsentOctets > 0)
      this.#unsure.push({ message, tlvs, key: { createdAtMs: message.createdAtMs, recordId } })
    else if (this.#unsure.length > 0) this.#unsure = []
  }

  /** The sender is told to send a message again that may be stored. */
  doubted(
    message: Sent & { readonly createdAtMs: number },
    tlvs: readonly Tlv[],
    recordId: number,
    isStored: Promise<boolean | undefined>,
  ): void {
    this.#lost.doubt(this.#sender, message, tlvs, { createdAtMs: message.createdAtMs, recordId }, isStored)
  }

  /** The session is over. An orderly end says that the peer has read what it was told. */
  ended(isOrderly: boolean): void {
    const unsure = this.#unsure
    this.#unsure = []
    if (!isOrderly)
      for (const { message, tlvs, key } of unsure) this.#lost.note(this.#sender, message, tlvs, key)
  }
}
