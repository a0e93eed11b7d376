// Tells what became of sent messages, from the receipts that come for their segments.
import type { SessionClock } from '../session/clock.ts'
import { systemClock } from '../session/clock.ts'
import { messageIdKey, type ReadIdForm } from '../text/message-id.ts'
import type { StateName } from '../text/receipt.ts'
import { stateAfter, stateOfAll } from '../text/receipt-states.ts'
import { readReceipt, type ReceiptBody } from './read-receipt.ts'

/** How an SMSC writes the id of a message in its answers and in its receipts (SMPP 3.4 §4.4.2 leaves it open). */
export interface MessageIdForms {
  readonly answer: ReadIdForm
  readonly receipt: ReadIdForm
}

export interface TrackedMessage<Tag> {
  readonly tag: Tag
  readonly messageIds: readonly string[]
  /** One word of Appendix B for all segments; empty while no receipt has come. It only goes forward. */
  readonly state: StateName | (string & {})
  /** Whether no receipt can change the state any more. */
  readonly isFinal: boolean
  /** Of each segment, in the order of the ids. */
  readonly states: readonly string[]
}

interface ReceiptTrackerOptions<Tag> {
  /** Called whenever the word of a message has changed. */
  readonly onState: (message: TrackedMessage<Tag>) => void
  /** `auto` (the default) finds out: equal ids, then equal but for capitals, then equal numbers, then hexadecimal in one and decimal in the other. */
  readonly idForms?: MessageIdForms | 'auto'
  /** Segments, and receipts without a message, that are remembered; beyond it the oldest message is forgotten. 100,000. */
  readonly segmentsMax?: number
  /** How long a message waits for its receipts; default 7 days, more than any network keeps a message. */
  readonly keepMs?: number
  readonly clock?: SessionClock
}

interface Entry<Tag> {
  readonly tag: Tag
  readonly messageIds: readonly string[]
  readonly to: string
  readonly states: string[]
  readonly addedAtMs: number
  word: string
}

interface Place<Tag> {
  readonly entry: Entry<Tag>
  readonly index: number
}

interface EarlyReceipt {
  readonly id: string
  readonly word: string
  readonly from: string
  readonly atMs: number
}

const finalStates: ReadonlySet<string> = new Set(['DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'REJECTD'])
// A receipt may overtake the answer that it belongs to, but not by much.
const earlyMs = 60_000
// The end of a number that stays when a network rewrites its prefix.
const sameEndDigits = 6

/** Remembers the messages that wait for receipts, in memory and within limits. */
export class ReceiptTracker<Tag> {
  readonly #onState: (message: TrackedMessage<Tag>) => void
  readonly #forms: MessageIdForms | 'auto'
  readonly #segmentsMax: number
  readonly #keepMs: number
  readonly #clock: SessionClock
  // In the order in which they were added, so the first is the oldest.
  readonly #entries = new Set<Entry<Tag>>()
  readonly #places = new Map<string, Place<Tag>>()
  readonly #early = new Map<string, EarlyReceipt>()
  #segmentCount = 0

  constructor(options: ReceiptTrackerOptions<Tag>) {
    this.#onState = options.onState
    this.#forms = options.idForms ?? 'auto'
    this.#segmentsMax = options.segmentsMax ?? 100_000
    this.#keepMs = options.keepMs ?? 7 * 86_400_000
    this.#clock = options.clock ?? systemClock
  }

  /** Messages whose state may still change. */
  get size(): number {
    return this.#entries.size
  }

  /** Adds a message that was sent to the number `to`. Receipts that came before it count. */
  track(message: { readonly tag: Tag; readonly messageIds: readonly string[]; readonly to: string }): void {
    this.#forgetOld()
    const states = message.messageIds.map(() => '')
    const entry: Entry<Tag> = { ...message, states, word: '', addedAtMs: this.#clock.nowMs() }
    this.#entries.add(entry)
    this.#segmentCount += states.length
    for (const [index, id] of message.messageIds.entries())
      for (const key of this.#answerKeys(id)) this.#places.set(key, { entry, index })
    for (const [key, { id, word, from }] of this.#early) {
      const place = this.#find(id, from)
      if (place?.entry !== entry) continue
      this.#early.delete(key)
      this.#file(place, word)
    }
  }

  /** Takes a deliver_sm or data_sm; false when it is no receipt. One for an unknown message waits a minute for it. */
  receive(body: ReceiptBody & { readonly sourceAddr: string }): boolean {
    const receipt = readReceipt(body)
    if (receipt === undefined) return false
    // A receipt without an id belongs to no message.
    if (receipt.id === undefined) return true
    const word = receipt.state
    const place = this.#find(receipt.id, body.sourceAddr)
    if (place === undefined) this.#keepEarly({ id: receipt.id, word, from: body.sourceAddr })
    else this.#file(place, word)
    return true
  }

  #file({ entry, index }: Place<Tag>, word: string): void {
    entry.states[index] = stateAfter(entry.states[index] ?? '', word)
    const all = stateOfAll(entry.states)
    const isOver = entry.states.every((state) => finalStates.has(state))
    const isChanged = all !== entry.word
    entry.word = all
    if (isOver) this.#forget(entry)
    const { tag, messageIds, states } = entry
    if (isChanged)
      this.#onState({
        tag,
        messageIds,
        state: all,
        isFinal: isOver || finalStates.has(all),
        states: [...states],
      })
  }

  #keepEarly(receipt: Omit<EarlyReceipt, 'atMs'>): void {
    this.#forgetOld()
    const key = `${receipt.from} ${receipt.id}`
    const word = stateAfter(this.#early.get(key)?.word ?? '', receipt.word)
    this.#early.delete(key)
    this.#early.set(key, { ...receipt, word, atMs: this.#clock.nowMs() })
  }

  #answerKeys(id: string): string[] {
    if (this.#forms !== 'auto') return [`key ${messageIdKey(id, this.#forms.answer)}`]
    return [`text ${id.trim()}`, `caseless ${messageIdKey(id, 'caseless')}`, ...numberKeys(id)]
  }

  #find(id: string, from: string): Place<Tag> | undefined {
    if (this.#forms !== 'auto') return this.#places.get(`key ${messageIdKey(id, this.#forms.receipt)}`)
    const same = this.#places.get(`text ${id.trim()}`)
    if (same !== undefined) return same
    const caseless = this.#places.get(`caseless ${messageIdKey(id, 'caseless')}`)
    if (caseless !== undefined && isSameEnd(caseless.entry.to, from)) return caseless
    const [decimal, hex] = ['decimal', 'hex'].map((form) => numberIn(id, form as 'decimal' | 'hex'))
    // Equal numbers in one form, as with leading zeros; then one form in the answer and the other one in the receipt.
    const keys = [
      ...(decimal === undefined ? [] : [`decimal ${decimal}`]),
      ...(hex === undefined ? [] : [`hex ${hex}`]),
      ...(decimal === undefined ? [] : [`hex ${decimal}`]),
      ...(hex === undefined ? [] : [`decimal ${hex}`]),
    ]
    // "10" may be sixteen: only the number that the message went to makes it sure.
    return keys
      .map((key) => this.#places.get(key))
      .find((place) => place !== undefined && isSameEnd(place.entry.to, from))
  }

  #forgetOld(): void {
    const nowMs = this.#clock.nowMs()
    for (const entry of this.#entries) {
      if (this.#segmentCount <= this.#segmentsMax && nowMs - entry.addedAtMs < this.#keepMs) break
      this.#forget(entry)
    }
    for (const [key, { atMs }] of this.#early) {
      if (this.#early.size <= this.#segmentsMax && nowMs - atMs < earlyMs) break
      this.#early.delete(key)
    }
  }

  #forget(entry: Entry<Tag>): void {
    if (!this.#entries.delete(entry)) return
    this.#segmentCount -= entry.messageIds.length
    for (const id of entry.messageIds)
      for (const key of this.#answerKeys(id))
        if (this.#places.get(key)?.entry === entry) this.#places.delete(key)
  }
}

function numberKeys(id: string): string[] {
  return (['decimal', 'hex'] as const).flatMap((form) => {
    const number = numberIn(id, form)
    return number === undefined ? [] : [`${form} ${number}`]
  })
}

/** The number that an id is in a form, in decimal; undefined when it is none. */
function numberIn(id: string, form: 'decimal' | 'hex'): string | undefined {
  const pattern = form === 'decimal' ? /^\d{1,64}$/ : /^(0x)?[0-9a-f]{1,64}$/i
  return pattern.test(id.trim()) ? messageIdKey(id, form) : undefined
}

function isSameEnd(one: string, other: string): boolean {
  const [first, second] = [one, other].map((address) => address.replace(/^\+|^00/, ''))
  if (first === undefined || second === undefined || first === '' || second === '') return false
  return (
    first === second ||
    (first.length >= sameEndDigits && first.slice(-sameEndDigits) === second.slice(-sameEndDigits))
  )
}
