// Decides which long message each segment belongs to. Knows no database.

/** What the segments of one message have in common. */
export interface LongMessageKey {
  readonly numberId: number
  readonly gatewayId: number
  /** Null when nobody held the number. */
  readonly clientId: number | null
  readonly sender: string
  readonly reference: number
  /** 2–255. */
  readonly total: number
}

/** A record that is a segment. */
export interface Segment extends LongMessageKey {
  readonly recordId: number
  readonly createdAtMs: number
  /** 1–total. */
  readonly sequence: number
  /** See `recordFlags.duplicateSuspect`. */
  readonly isDuplicateSuspect: boolean
}

export interface LongMessage extends LongMessageKey {
  /** Undefined until it is stored. */
  readonly id: number | undefined
  /** By the place of the segment, null for one that is missing. */
  readonly recordIds: (number | null)[]
  readonly createdAtsMs: (number | null)[]
  /** When the last segment was created. */
  lastAtMs: number
  /** Whether the message was complete, or its time was over. */
  readonly isEnded: boolean
}

/** Segments of one message come within seconds, a late one within a day. */
export const joinWithinMs = 86_400_000
/**
 * How many messages of one key are looked at. A supplier that uses one reference for everything must not make each segment
 * slow; beyond that, a late segment begins a message of its own.
 */
export const messagesPerKeyMax = 8

export const keyTextOf = (key: LongMessageKey): string =>
  [key.numberId, key.gatewayId, key.clientId ?? 0, key.reference, key.total, key.sender].join(' ')

export const isComplete = ({ recordIds }: Pick<LongMessage, 'recordIds'>): boolean =>
  recordIds.every((id) => id !== null)

/**
 * Puts each segment into its message, changing `known`, or into a new one; gives the messages that have changed. The newest
 * message of the key with the place free takes it, since a supplier uses a reference again for a later message. A segment
 * whose place is taken is a repetition when `isSame` says that both carry the same: it changes nothing. When the message has
 * ended it is one only if it was stored as a suspected duplicate; otherwise the sender has sent the same text again.
 */
export function assignSegments(
  segments: readonly Segment[],
  known: readonly LongMessage[],
  isSame: (recordId: number, otherId: number) => boolean,
): LongMessage[] {
  const byKey = new Map<string, LongMessage[]>()
  for (const message of known.toSorted((a, b) => b.lastAtMs - a.lastAtMs))
    byKey.set(keyTextOf(message), [...(byKey.get(keyTextOf(message)) ?? []), message])
  const changed = new Set<LongMessage>()
  for (const segment of segments) {
    const messages = byKey.get(keyTextOf(segment)) ?? []
    const found = homeOf(segment, messages, isSame)
    if (found === 'repetition') continue
    const message = found ?? begin(segment)
    message.recordIds[segment.sequence - 1] = segment.recordId
    message.createdAtsMs[segment.sequence - 1] = segment.createdAtMs
    message.lastAtMs = Math.max(message.lastAtMs, segment.createdAtMs)
    changed.add(message)
    if (found === undefined) byKey.set(keyTextOf(segment), [message, ...messages].slice(0, messagesPerKeyMax))
  }
  return [...changed]
}

function homeOf(
  { recordId, createdAtMs, sequence, isDuplicateSuspect }: Segment,
  messages: readonly LongMessage[],
  isSame: (recordId: number, otherId: number) => boolean,
): LongMessage | 'repetition' | undefined {
  for (const message of messages) {
    const there = message.recordIds[sequence - 1] ?? null
    if (there === null) {
      if (Math.abs(createdAtMs - message.lastAtMs) <= joinWithinMs) return message
      continue
    }
    const isOpen = !message.isEnded && !isComplete(message)
    if ((isOpen || isDuplicateSuspect) && isSame(there, recordId)) return 'repetition'
  }
  return undefined
}

function begin(segment: Segment): LongMessage {
  const { numberId, gatewayId, clientId, sender, reference, total, createdAtMs } = segment
  return {
    id: undefined,
    numberId,
    gatewayId,
    clientId,
    sender,
    reference,
    total,
    recordIds: Array.from({ length: total }, () => null),
    createdAtsMs: Array.from({ length: total }, () => null),
    lastAtMs: createdAtMs,
    isEnded: false,
  }
}
