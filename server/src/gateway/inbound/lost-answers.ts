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
import { windowMax } from '../binds/admit-bind.ts'
import {
  addUnanswered,
  deadBindRecords,
  pruneUnanswered,
  unansweredOf,
  type Unanswered,
} from './lost-store.ts'

/** What makes two messages the same. */
export type Sent = Pick<
  IngestMessage,
  'sourceAddress' | 'destinationAddress' | 'esmClass' | 'dataCoding' | 'body'
>

export interface LostAnswersParts {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'open'>
  readonly log: Logger
}

/** How long a repetition is looked out for. */
const rememberedMs = 600_000
const writeEveryMs = 250

export class LostAnswers {
  readonly #parts: LostAnswersParts
  readonly #byUser = new Map<number, Map<string, Unanswered>>()
  #unwritten: Unanswered[] = []
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(parts: LostAnswersParts) {
    this.#parts = parts
  }

  /** A message is stored, and its answer did not leave. */
  note(userId: number, message: Sent, tlvs: readonly Tlv[], key: RecordKey): void {
    const lost = { ...key, userId, fingerprint: fingerprintOf(message, referenceOf(tlvs)), atMs: Date.now() }
    this.#remember(lost)
    this.#unwritten.push(lost)
    this.#timer ??= setTimeout(() => void this.#write(), writeEveryMs)
  }

  /**
   * The stored message that this one may repeat, if its answer was lost in the last ten minutes; it is given once. A
   * message whose answer was lost with a process is known without its user_message_reference.
   */
  take(userId: number, message: Sent, tlvs: readonly Tlv[]): Unanswered | undefined {
    if (this.#byUser.size === 0) return undefined
    const known = this.#byUser.get(userId)
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

  /** Learns, in the transaction of a bind, what was lost of this account on nodes that died and on those that live. */
  async load(tx: Db, userId: number): Promise<void> {
    const died = await deadBindRecords(tx, userId, windowMax)
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
          : [{ ...key, userId, fingerprint: fingerprintOf(sent, ''), atMs: Date.now() }]
      })
      if (lost.length > 0) await addUnanswered(tx, lost)
    }
    for (const each of await unansweredOf(tx, userId, rememberedMs)) this.#remember(each)
  }

  /** Forgets what is over; called now and then. */
  async prune(): Promise<void> {
    const before = Date.now() - rememberedMs
    for (const known of this.#byUser.values())
      for (const each of known.values()) if (each.atMs < before) this.#forget(each)
    await pruneUnanswered(this.#parts.db)
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
    await this.#write()
  }

  #remember(lost: Unanswered): void {
    const known = this.#byUser.get(lost.userId) ?? new Map<string, Unanswered>()
    this.#byUser.set(lost.userId, known.set(lost.fingerprint, lost))
  }

  #forget(lost: Unanswered): void {
    const known = this.#byUser.get(lost.userId)
    known?.delete(lost.fingerprint)
    if (known?.size === 0) this.#byUser.delete(lost.userId)
  }

  async #write(): Promise<void> {
    this.#timer = undefined
    const taken = this.#unwritten
    if (taken.length === 0) return
    this.#unwritten = []
    this.#writing = addUnanswered(this.#parts.db, taken).catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'Lost answers are noted later')
      this.#unwritten.unshift(...taken)
      this.#timer ??= setTimeout(() => void this.#write(), 1_000)
    })
    await this.#writing
  }
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
