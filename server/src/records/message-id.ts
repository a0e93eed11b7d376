// The message id acknowledged to peers: in it are the two parts of a record's key, so that finding the record again
// is one look into one partition.

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const idPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

// The lowest 15 bits of an id as three characters, made once: the writer makes a hundred thousand ids a second.
const lowCharacters = Array.from({ length: 32_768 }, (_, bits) => crockford(bits, 3))

function crockford(value: number, length: number): string {
  let text = ''
  let rest = value
  for (let place = 0; place < length; place += 1) {
    text = alphabet.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** Where a record is: `createdAtMs` since 1970, and its id. Both are whole numbers below 2^48 and 2^53. */
export interface RecordKey {
  readonly createdAtMs: number
  readonly recordId: number
}

/** The message id of a record: 26 characters of Crockford's base 32, in the order of time, as a ULID is. */
export function messageIdOf({ createdAtMs, recordId }: RecordKey): string {
  return (
    crockford(createdAtMs, 10) +
    crockford(Math.floor(recordId / 32_768), 13) +
    lowCharacters[recordId % 32_768]
  )
}

/** Reads a message id, in either case; undefined when it cannot be one of ours. */
export function parseMessageId(text: string): RecordKey | undefined {
  const id = text.toUpperCase()
  if (!idPattern.test(id)) return undefined
  const createdAtMs = valueOf(id.slice(0, 10))
  const recordId = valueOf(id.slice(10))
  // The 80 bits of the second half hold more than any record's id.
  return Number.isSafeInteger(recordId) ? { createdAtMs, recordId } : undefined
}

function valueOf(text: string): number {
  let value = 0
  for (const character of text) value = value * 32 + alphabet.indexOf(character)
  return value
}

/** Makes the ids of one batch, whose records share all but the lowest bits of their ids. */
export class MessageIdMaker {
  #timeMs = -1
  #timeText = ''
  #high = -1
  #highText = ''

  /** As {@link messageIdOf}, reusing the parts that are as the last time. */
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
