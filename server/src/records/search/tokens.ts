// What a segment's bits say: which clients, ranges, gateways and pieces of senders occur in it. A set bit may lie (two
// pieces can share one), a clear bit never does, so whatever the bits let through is read and checked again.

// Ids have a bit of their own up to these counts; beyond them they share.
const clients = { base: 0, size: 8_192 }
const ranges = { base: 8_192, size: 4_096 }
const gateways = { base: 12_288, size: 1_024 }
// Pieces of senders. Telephone numbers fill the spaces of digits; names have their own, in which hardly anything stands,
// so that a word that nobody sent is not found everywhere.
const shortDigits = { base: 13_312, size: 1_152 }
const shortNames = { base: 14_464, size: 8_192 }
// Wide: six digits that somebody looks for are told by two of these pieces alone.
const longDigits = { base: 22_656, size: 65_536 }
const longNames = { base: 88_192, size: 8_192 }
// Which client had which range and gateway, and which range came by which gateway: what is frequent each for itself may
// be rare together.
const pairs = { base: 96_384, size: 16_384 }
const longPiece = 5

/** How many bits a segment has. */
export const slotCount = 112_768
export const tokenBytes = slotCount / 8

interface Space {
  readonly base: number
  readonly size: number
}

function slotOfId(space: Space, id: number): number {
  return space.base + (id % space.size)
}

/** `kind` tells pairs of different things with the same ids apart. */
function slotOfPair(kind: 1 | 2 | 3, first: number, second: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(kind, 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 15), 0x27d4eb2f)
  return pairs.base + (((hash ^ (hash >>> 13)) >>> 0) % pairs.size)
}

function slotOfPiece(text: string, start: number, length: number): number {
  let hash = 0x811c9dc5
  let number = 0
  let isDigits = true
  for (let place = start; place < start + length; place += 1) {
    const code = folded(text.charCodeAt(place))
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

/** What of a record tokens are made of. */
export interface TokenSource {
  readonly clientId: number | null
  readonly rangeId: number | null
  readonly gatewayId: number
  readonly sender: string
}

/** Sets a record's bits, lowest bit of each byte first as PostgreSQL's get_bit counts. */
export function addTokens(bits: Uint8Array, record: TokenSource): void {
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

/** What is asked for: ids of which one must occur, and a text that must be part of a sender. */
export interface Wanted {
  readonly clientIds?: readonly number[] | undefined
  readonly rangeIds?: readonly number[] | undefined
  readonly gatewayIds?: readonly number[] | undefined
  readonly sender?: string | undefined
}

// More alternatives than this are hardly ever all absent, so reading their bits would only cost.
const alternativesMax = 64

/**
 * Groups of slots: a segment can hold a wanted record only if each group has at least one set bit. An empty list means
 * that the bits cannot tell.
 */
export function slotGroups({ clientIds, rangeIds, gatewayIds, sender }: Wanted): number[][] {
  const isAsked = (group: readonly number[]) => group.length > 0 && group.length <= alternativesMax
  const pairsOfClients = [pairSlots(1, clientIds, gatewayIds), pairSlots(2, clientIds, rangeIds)]
  const groups = [
    // A client's pairs are rarer than the client.
    pairsOfClients.some(isAsked) ? [] : (clientIds ?? []).map((id) => slotOfId(clients, id)),
    (rangeIds ?? []).map((id) => slotOfId(ranges, id)),
    (gatewayIds ?? []).map((id) => slotOfId(gateways, id)),
    ...pairsOfClients,
    pairSlots(3, rangeIds, gatewayIds),
    ...pieceSlots(sender ?? '').map((slot) => [slot]),
  ]
  return groups.filter(isAsked)
}

function pairSlots(
  kind: 1 | 2 | 3,
  firsts: readonly number[] = [],
  seconds: readonly number[] = [],
): number[] {
  if (firsts.length * seconds.length > alternativesMax) return []
  return firsts.flatMap((first) => seconds.map((second) => slotOfPair(kind, first, second)))
}

// A few pieces tell as much as all, since the segments' lists tell the rest; the last ones differ most.
const piecesMost = 4

function pieceSlots(text: string): number[] {
  const length = text.length >= longPiece ? longPiece : Math.min(3, text.length)
  if (length === 0) return []
  const slots = new Set<number>()
  const step = Math.ceil((text.length - length + 1) / piecesMost)
  for (let start = text.length - length; start >= 0; start -= step)
    slots.add(slotOfPiece(text, start, length))
  return [...slots]
}
