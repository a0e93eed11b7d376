// The message id that peers get. It contains both components of a record's key, so that the record is found in one
// partition by its key.

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const idPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

// The lowest 15 bits of an id as three characters, computed once: a writer makes a hundred thousand ids a second.
const lowCharacters = Array.from({ length: 32_768 }, (_, bits) => crockford(bits, 3))

function crockford(value: number, length: number): string {
  let text = ''
  let rest = value
  for (let digit = 0; digit < length; digit += 1) {
    text = alphabet.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** The key of a record: `createdAtMs` since 1970, below 2^48, and its id, below 2^53. Both are whole numbers. */
export interface RecordKey {
  readonly createdAtMs: number
  readonly recordId: number
}

/** The message id of a record: 26 characters of Crockford's base 32 that sort by time, like a ULID. */
export function messageIdOf({ createdAtMs, recordId }: RecordKey): string {
  return (
    crockford(createdAtMs, 10) +
    crockford(Math.floor(recordId / 32_768), 13) +
    lowCharacters[recordId % 32_768]
  )
}

/** Reads a message id in upper or lower case; undefined when it cannot be one of ours. */
export function parseMessageId(text: string): RecordKey | undefined {
  const id = text.toUpperCase()
  if (!idPattern.test(id)) return undefined
  const createdAtMs = valueOf(id.slice(0, 10))
  const recordId = valueOf(id.slice(10))
  // The second half has 80 bits, more than any record's id.
  return Number.isSafeInteger(recordId) ? { createdAtMs, recordId } : undefined
}

function valueOf(text: string): number {
  let value = 0
  for (const character of text) value = value * 32 + alphabet.indexOf(character)
  return value
}

/** Makes the message ids of a batch, whose records have the same upper bits in their ids. */
export class MessageIdMaker {
  #timeMs = -1
  #timeText = ''
  #high = -1
  #highText = ''

  /** As {@link messageIdOf}; reuses the characters that are the same as last time. */
  make(createdAtMs: number, recordId: number): string {
    if (createdAtMs !== this.#timeMs) {
      this.#timeMs = createdAtMs
      this.#timeText = crockford(createdAtMs, 10)
    }
    const high = Math.floor(recordId / 32_768)
    if (high !== this.#high) {
      this.#high = high
      this.#highText = crockford(high, 13)
    }
    return this.#timeText + this.#highText + lowCharacters[recordId % 32_768]
  }
}
