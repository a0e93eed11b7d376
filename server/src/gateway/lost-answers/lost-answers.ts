// operations.md, Ingest 3: SMPP has no idempotency key. When a session, or this process, dies before the answer to a
// stored message left, the sender sends it again. That is stored too, but marked and held from billing for review.
// Nothing of this costs anything while no answer is lost.
import { createHash } from 'node:crypto'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv, type Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { readBodies, type IngestMessage, type RecordKey } from '../../records/index.ts'
import {
  addUnanswered,
  deadBindRecords,
  deadLinkRecords,
  pruneUnanswered,
  unansweredOf,
  type Sender,
  type Unanswered,
} from './store.ts'

/** What makes two messages the same. */
export type Sent = Pick<
  IngestMessage,
  'sourceAddress' | 'destinationAddress' | 'esmClass' | 'dataCoding' | 'body'
>

/** A message whose answer was lost. */
export interface Lost extends Unanswered {
  /** Whether it is stored at all, where the database has not said yet. */
  readonly isStored?: Promise<boolean | undefined>
}

export interface LostAnswersParts {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'open'>
  readonly log: Logger
}

/** How long a repetition is looked out for. */
const rememberedMs = 600_000
const writeEveryMs = 250
const pruneEveryMs = 60_000

export class LostAnswers {
  readonly #parts: LostAnswersParts
  readonly #bySender = new Map<string, Map<string, Lost>>()
  #unwritten: Unanswered[] = []
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #pruning: NodeJS.Timeout | undefined

  constructor(parts: LostAnswersParts) {
    this.#parts = parts
  }

  /** Forgets now and then what is over. */
  start(): void {
    const { log } = this.#parts
    const onFault = (error: unknown) => log.warn({ err: error }, 'Lost answers are forgotten later')
    this.#pruning ??= setInterval(() => void this.#prune().catch(onFault), pruneEveryMs)
  }

  /** A message is stored, and its answer did not leave. */
  note(sender: Sender, message: Sent, tlvs: readonly Tlv[], key: RecordKey): void {
    const lost = lostOf(sender, message, tlvs, key)
    this.#remember(lost)
    this.#writeSoon(lost)
  }

  /** It is not known yet whether a message is stored, and its sender was told to send it again. */
  doubt(
    sender: Sender,
    message: Sent,
    tlvs: readonly Tlv[],
    key: RecordKey,
    isStored: Promise<boolean | undefined>,
  ): void {
    const lost = { ...lostOf(sender, message, tlvs, key), isStored }
    this.#remember(lost)
    void isStored.then((stored) => (stored === true ? this.#writeSoon(lost) : this.#forget(lost)))
  }

  /** Takes back what {@link take} gave, when the repetition could not be stored. */
  putBack(lost: Lost): void {
    this.#remember(lost)
  }

  /**
   * The stored message that this one may repeat, if its answer was lost in the last ten minutes; it is given once. A
   * message whose answer was lost with a process is known without its user_message_reference.
   */
  take(sender: Sender, message: Sent, tlvs: readonly Tlv[]): Lost | undefined {
    if (this.#bySender.size === 0) return undefined
    const known = this.#bySender.get(nameOf(sender))
    if (known === undefined) return undefined
    const reference = referenceOf(tlvs)
    const prints = [
      fingerprintOf(message, reference),
      ...(reference === '' ? [] : [fingerprintOf(message, '')]),
    ]
    for (const print of prints) {
      const found = known.get(print)
      if (found === undefined) continue
      this.#forget(found)
      if (Date.now() - found.atMs < rememberedMs) return found
    }
    return undefined
  }

  /**
   * Learns, before a sender's next session, what was lost of it on nodes that died and on those that live: in the
   * transaction of a bind, or before the new owner of a connection writes its own state.
   */
  async load(tx: Db, sender: Sender): Promise<void> {
    const findDead = sender.kind === 'account' ? deadBindRecords : deadLinkRecords
    const died = await findDead(tx, sender.id)
    if (died.length > 0) {
      const { secrets, log } = this.#parts
      const bodies = await readBodies(
        tx,
        secrets,
        died.map(({ recordId }) => recordId),
        (error) => log.warn({ err: error }, 'Texts do not open; messages sent again are not recognised'),
      )
      const lost = died.flatMap((key) => {
        const sent = bodies.get(key.recordId)
        return sent === undefined
          ? []
          : [{ ...key, sender, fingerprint: fingerprintOf(sent, ''), atMs: Date.now() }]
      })
      if (lost.length > 0) await addUnanswered(tx, lost)
    }
    for (const each of await unansweredOf(tx, sender, rememberedMs)) this.#remember(each)
  }

  /** Writes down what was noted, so that whoever has the sender's next session knows it. Never rejects. */
  async write(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
    await this.#write()
  }

  async stop(): Promise<void> {
    clearInterval(this.#pruning)
    await this.write()
  }

  async #prune(): Promise<void> {
    const before = Date.now() - rememberedMs
    for (const known of this.#bySender.values())
      for (const each of known.values()) if (each.atMs < before) this.#forget(each)
    await pruneUnanswered(this.#parts.db)
  }

  #writeSoon(lost: Unanswered): void {
    this.#unwritten.push(lost)
    this.#timer ??= setTimeout(() => void this.write(), writeEveryMs)
  }

  #remember(lost: Lost): void {
    const name = nameOf(lost.sender)
    const known = this.#bySender.get(name) ?? new Map<string, Lost>()
    this.#bySender.set(name, known.set(lost.fingerprint, lost))
  }

  #forget(lost: Unanswered): void {
    const name = nameOf(lost.sender)
    const known = this.#bySender.get(name)
    // A later one that is the same keeps its place.
    if (known?.get(lost.fingerprint)?.recordId === lost.recordId) known.delete(lost.fingerprint)
    if (known?.size === 0) this.#bySender.delete(name)
  }

  async #write(): Promise<void> {
    this.#timer = undefined
    const taken = this.#unwritten
    if (taken.length === 0) return
    this.#unwritten = []
    this.#writing = addUnanswered(this.#parts.db, taken).catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'Lost answers are noted later')
      this.#unwritten.unshift(...taken)
      this.#timer ??= setTimeout(() => void this.write(), 1_000)
    })
    await this.#writing
  }
}

function nameOf({ kind, id }: Sender): string {
  return `${kind} ${id}`
}

function lostOf(sender: Sender, message: Sent, tlvs: readonly Tlv[], key: RecordKey): Unanswered {
  return { ...key, sender, fingerprint: fingerprintOf(message, referenceOf(tlvs)), atMs: Date.now() }
}

function referenceOf(tlvs: readonly Tlv[]): string {
  if (tlvs.length === 0) return ''
  const reference = findTlv(tlvs, tags.userMessageReference)
  return reference === undefined ? '' : String(reference)
}

function fingerprintOf(message: Sent, reference: string): string {
  const { sourceAddress, destinationAddress, esmClass, dataCoding, body } = message
  const facts = [sourceAddress, destinationAddress, esmClass, dataCoding, reference].join('\0')
  return createHash('sha256').update(facts).update('\0').update(body).digest('hex').slice(0, 32)
}
