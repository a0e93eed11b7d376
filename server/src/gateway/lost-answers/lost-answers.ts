// SMPP has no idempotency key. When a session or this process dies before the answer to a
// stored message leaves, the peer sends the message again. The repetition is stored too, but it is marked as a possible
// duplicate and held from billing until a person has looked. While no answer is lost, all this costs nothing.
import { createHash } from 'node:crypto'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv, type Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import { Recurring } from '../../platform/work/recurring.ts'
import { readBodies, type IngestMessage, type RecordKey } from '../../ingest/index.ts'
import {
  addUnanswered,
  deadBindRecords,
  deadLinkRecords,
  deleteDeadBinds,
  pruneUnanswered,
  findUnanswered,
  type PeerRef,
  type UnansweredRecord,
} from './store.ts'

/** The fields that make two messages the same. */
export type MessageContent = Pick<
  IngestMessage,
  'sourceAddress' | 'destinationAddress' | 'esmClass' | 'dataCoding' | 'body'
>

/** A stored message whose answer was lost. */
export interface LostAnswer extends UnansweredRecord {
  /** Set while its commit is uncertain: resolves to whether it is stored. */
  readonly isStored?: Promise<boolean | undefined>
}

interface LostAnswersDeps {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly log: Logger
}

/** For how long a repetition is recognised. */
const rememberedMs = 600_000
const writeEveryMs = 250
// Other nodes note the time by their own clocks, and write a moment later.
const clockSkewMs = 60_000
const pruneEveryMs = 60_000

export class LostAnswers {
  readonly #deps: LostAnswersDeps
  readonly #byPeer = new Map<string, Map<string, LostAnswer>>()
  // When the answers that a peer's sessions lost were last read: its next bind reads what has come since.
  readonly #loadedAtMs = new Map<string, number>()
  #unwritten: UnansweredRecord[] = []
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #pruning: Recurring

  constructor(deps: LostAnswersDeps) {
    this.#deps = deps
    this.#pruning = new Recurring({
      run: () => this.#prune(),
      everyMs: pruneEveryMs,
      onFault: (error) => deps.log.warn({ err: error }, 'Lost answers are forgotten later'),
    })
  }

  /** Starts the regular removal of old entries. */
  start(): void {
    this.#pruning.start(pruneEveryMs)
  }

  /** A message is stored, but its answer did not leave. */
  note(peer: PeerRef, message: MessageContent, tlvs: readonly Tlv[], key: RecordKey): void {
    this.noteRecord(unansweredRecordOf(peer, message, tlvs, key))
  }

  /** As {@link note}, for a message of which only this was kept. */
  noteRecord(lost: UnansweredRecord): void {
    this.#remember(lost)
    this.#writeSoon(lost)
  }

  /** The commit of a message is uncertain, and its peer was answered that it must send it again. */
  doubt(
    peer: PeerRef,
    message: MessageContent,
    tlvs: readonly Tlv[],
    key: RecordKey,
    isStored: Promise<boolean | undefined>,
  ): void {
    const lost = { ...unansweredRecordOf(peer, message, tlvs, key), isStored }
    this.#remember(lost)
    void isStored.then((stored) => (stored === true ? this.#writeSoon(lost) : this.#forget(lost)))
  }

  /** Undoes {@link take} when the repetition could not be stored. */
  putBack(lost: LostAnswer): void {
    this.#remember(lost)
  }

  /**
   * The stored message that this one may repeat, if its answer was lost in the last ten minutes. Each is returned once. A
   * message whose answer was lost with a process is matched without its user_message_reference, which is not stored.
   */
  take(peer: PeerRef, message: MessageContent, tlvs: readonly Tlv[]): LostAnswer | undefined {
    if (this.#byPeer.size === 0) return undefined
    const known = this.#byPeer.get(keyOf(peer))
    if (known === undefined) return undefined
    const reference = referenceOf(tlvs)
    const fingerprints = [
      fingerprintOf(message, reference),
      ...(reference === '' ? [] : [fingerprintOf(message, '')]),
    ]
    for (const fingerprint of fingerprints) {
      const found = known.get(fingerprint)
      if (found === undefined) continue
      this.#forget(found)
      if (Date.now() - found.atMs < rememberedMs) return found
    }
    return undefined
  }

  /**
   * Loads the peer's lost answers of all nodes, dead or alive, before its next session: in the transaction of a bind, or
   * before the new owner of a connection writes its own state.
   */
  async load(tx: Db, peer: PeerRef): Promise<void> {
    const findDead = peer.kind === 'account' ? deadBindRecords : deadLinkRecords
    const died = await findDead(tx, peer.id)
    if (died.length > 0) {
      const { secrets, log } = this.#deps
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
          : [{ ...key, peer, fingerprint: fingerprintOf(sent, ''), atMs: Date.now() }]
      })
      if (lost.length > 0) await addUnanswered(tx, lost)
    }
    if (peer.kind === 'account') await deleteDeadBinds(tx, peer.id)
    const loadedAtMs = this.#loadedAtMs.get(keyOf(peer)) ?? 0
    const startedAtMs = Date.now()
    const sinceMs = Math.min(rememberedMs, startedAtMs - loadedAtMs + clockSkewMs)
    for (const each of await findUnanswered(tx, peer, sinceMs)) this.#remember(each)
    this.#loadedAtMs.set(keyOf(peer), startedAtMs)
  }

  /** Writes the noted answers to the database for the node of the peer's next session. Never rejects. */
  async write(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
    await this.#write()
  }

  async stop(): Promise<void> {
    await this.#pruning.stop()
    await this.write()
  }

  async #prune(): Promise<void> {
    const before = Date.now() - rememberedMs
    for (const known of this.#byPeer.values())
      for (const each of known.values()) if (each.atMs < before) this.#forget(each)
    for (const [peer, atMs] of this.#loadedAtMs) if (atMs < before) this.#loadedAtMs.delete(peer)
    await pruneUnanswered(this.#deps.db)
  }

  #writeSoon(lost: UnansweredRecord): void {
    this.#unwritten.push(lost)
    this.#timer ??= setTimeout(() => void this.write(), writeEveryMs)
  }

  #remember(lost: LostAnswer): void {
    const name = keyOf(lost.peer)
    const known = this.#byPeer.get(name) ?? new Map<string, LostAnswer>()
    this.#byPeer.set(name, known.set(lost.fingerprint, lost))
  }

  #forget(lost: UnansweredRecord): void {
    const name = keyOf(lost.peer)
    const known = this.#byPeer.get(name)
    // The entry may belong to a later message with the same fingerprint.
    if (known?.get(lost.fingerprint)?.recordId === lost.recordId) known.delete(lost.fingerprint)
    if (known?.size === 0) this.#byPeer.delete(name)
  }

  async #write(): Promise<void> {
    this.#timer = undefined
    const unwritten = this.#unwritten
    // Another call may be writing them: they must be there when this one returns.
    if (unwritten.length === 0) return this.#writing
    this.#unwritten = []
    this.#writing = addUnanswered(this.#deps.db, unwritten).catch((error: unknown) => {
      this.#deps.log.warn({ err: error }, 'Lost answers are noted later')
      this.#unwritten.unshift(...unwritten)
      this.#timer ??= setTimeout(() => void this.write(), 1_000)
    })
    await this.#writing
  }
}

function keyOf({ kind, id }: PeerRef): string {
  return `${kind} ${id}`
}

/** What is kept of a message whose answer is lost, or may be. */
export function unansweredRecordOf(
  peer: PeerRef,
  message: MessageContent,
  tlvs: readonly Tlv[],
  key: RecordKey,
): UnansweredRecord {
  return { ...key, peer, fingerprint: fingerprintOf(message, referenceOf(tlvs)), atMs: Date.now() }
}

function referenceOf(tlvs: readonly Tlv[]): string {
  if (tlvs.length === 0) return ''
  const reference = findTlv(tlvs, tags.userMessageReference)
  return reference === undefined ? '' : String(reference)
}

function fingerprintOf(message: MessageContent, reference: string): string {
  const { sourceAddress, destinationAddress, esmClass, dataCoding, body } = message
  const facts = [sourceAddress, destinationAddress, esmClass, dataCoding, reference].join('\0')
  return createHash('sha256').update(facts).update('\0').update(body).digest('hex').slice(0, 32)
}
