// The bloom filter of a block: which clients, ranges, gateways and pieces of source addresses occur in it. A set bit can
// be a false positive, since two values may share a slot; a clear bit is always right. So what fits is checked again.

// Ids below these sizes have a slot of their own; greater ids share slots.
const clients = { base: 0, size: 8_192 }
const ranges = { base: 8_192, size: 4_096 }
const gateways = { base: 12_288, size: 1_024 }
// Pieces of source addresses. Digits and names have separate spaces: telephone numbers fill theirs nearly completely, and
// a name that never occurred should not seem to occur everywhere.
const shortDigits = { base: 13_312, size: 1_152 }
const shortNames = { base: 14_464, size: 8_192 }
// Large, because a search for six digits has only two of these pieces to go by.
const longDigits = { base: 22_656, size: 65_536 }
const longNames = { base: 88_192, size: 8_192 }
// Pairs of client and range, client and gateway, range and gateway: two frequent values may be rare together.
const pairs = { base: 96_384, size: 16_384 }
const longPiece = 5

/** How many bits the filter of a block has. */
export const slotCount = 112_768
export const filterBytes = slotCount / 8

interface BloomBits {
  readonly base: number
  readonly size: number
}

function slotOfId(space: BloomBits, id: number): number {
  return space.base + (id % space.size)
}

/** `kind` distinguishes pairs of different things with the same ids. */
function slotOfPair(kind: 1 | 2 | 3, first: number, second: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(kind, 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 15), 0x27d4eb2f)
  return pairs.base + (((hash ^ (hash >>> 13)) >>> 0) % pairs.size)
}

function slotOfPiece(text: string, start: number, length: number): number {
  let hash = 0x811c9dc5
  let number = 0
  let isDigits = true
  for (let index = start; index < start + length; index += 1) {
    const code = folded(text.charCodeAt(index))
    hash = Math.imul(hash ^ code, 0x01000193)
    number = number * 10 + code - 48
    isDigits &&= code >= 48 && code <= 57
  }
  // Up to three digits have a bit of their own: one digit from 0, two from 10, three from 110.
  if (isDigits && length <= 3) return shortDigits.base + number + (length === 1 ? 0 : length === 2 ? 10 : 110)
  const space = length <= 3 ? shortNames : isDigits ? longDigits : longNames
  return space.base + (((hash ^ (hash >>> 15)) >>> 0) % space.size)
}

/** An ASCII letter's code in lower case, as {@link foldCase} does for whole texts. */
function folded(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}

/** The values of a record that the filter has bits for. */
export interface FilterSource {
  readonly clientId: number | null
  readonly rangeId: number | null
  readonly gatewayId: number
  readonly sender: string
}

/** Sets a record's bits, lowest bit of each byte first as PostgreSQL's get_bit counts. */
export function addToFilter(bits: Uint8Array, record: FilterSource): void {
  const { clientId, rangeId, gatewayId, sender } = record
  setBit(bits, slotOfId(gateways, gatewayId))
  if (clientId !== null) {
    setBit(bits, slotOfId(clients, clientId))
    setBit(bits, slotOfPair(1, clientId, gatewayId))
    if (rangeId !== null) setBit(bits, slotOfPair(2, clientId, rangeId))
  }
  if (rangeId !== null) {
    setBit(bits, slotOfId(ranges, rangeId))
    setBit(bits, slotOfPair(3, rangeId, gatewayId))
  }
  for (let start = 0; start < sender.length; start += 1) {
    for (let length = 1; length <= 3 && start + length <= sender.length; length += 1)
      setBit(bits, slotOfPiece(sender, start, length))
    if (start + longPiece <= sender.length) setBit(bits, slotOfPiece(sender, start, longPiece))
  }
}

function setBit(bits: Uint8Array, slot: number): void {
  bits[slot >> 3] = (bits[slot >> 3] ?? 0) | (1 << (slot & 7))
}

/** The values of a condition: ids of which one must occur, and a text that the source address must contain. */
export interface FilterQuery {
  readonly clientIds?: readonly number[] | undefined
  readonly rangeIds?: readonly number[] | undefined
  readonly gatewayIds?: readonly number[] | undefined
  readonly sender?: string | undefined
}

// With more alternatives than this nearly every block has one of them, so reading their bits would be useless.
const alternativesMax = 64

/**
 * Clauses of slots: a block can have a matching record only if of each clause at least one bit is set. An empty list means
 * that the filters cannot help.
 */
export function filterClauses({ clientIds, rangeIds, gatewayIds, sender }: FilterQuery): number[][] {
  const isUseful = (clause: readonly number[]) => clause.length > 0 && clause.length <= alternativesMax
  const pairsOfClients = [pairSlots(1, clientIds, gatewayIds), pairSlots(2, clientIds, rangeIds)]
  const clauses = [
    // A client's pairs are rarer than the client.
    pairsOfClients.some(isUseful) ? [] : (clientIds ?? []).map((id) => slotOfId(clients, id)),
    (rangeIds ?? []).map((id) => slotOfId(ranges, id)),
    (gatewayIds ?? []).map((id) => slotOfId(gateways, id)),
    ...pairsOfClients,
    pairSlots(3, rangeIds, gatewayIds),
    ...pieceSlots(sender ?? '').map((slot) => [slot]),
  ]
  return clauses.filter(isUseful)
}

function pairSlots(
  kind: 1 | 2 | 3,
  firsts: readonly number[] = [],
  seconds: readonly number[] = [],
): number[] {
  if (firsts.length * seconds.length > alternativesMax) return []
  return firsts.flatMap((first) => seconds.map((second) => slotOfPair(kind, first, second)))
}

// A few pieces are enough, since the block's columns decide the rest. Addresses differ most at their ends.
const piecesMax = 4

function pieceSlots(text: string): number[] {
  const length = text.length >= longPiece ? longPiece : Math.min(3, text.length)
  if (length === 0) return []
  const slots = new Set<number>()
  const step = Math.ceil((text.length - length + 1) / piecesMax)
  for (let start = text.length - length; start >= 0; start -= step)
    slots.add(slotOfPiece(text, start, length))
  return [...slots]
}
