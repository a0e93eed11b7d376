// Texts in memory that are searched for a substring: searching a hundred thousand takes about a millisecond. The texts of
// a chunk are joined into one long string, because one indexOf over it is much faster than one for each text.

// Texts in a chunk. A new text makes only its own chunk be joined again.
const chunkTexts = 4_096
// PostgreSQL stores no text that contains it.
const separator = '\0'

/** A chunk is joined for searching, with a separator before and after each text; or split while texts change. */
type Chunk = { joined: string; starts: Uint32Array } | { texts: string[] }

interface SearchLimits {
  /** Searches only in the last characters of each text. */
  readonly lastChars?: number | undefined
  /** Stops when more than this many texts are found. */
  readonly max?: number | undefined
}

/** Texts by index, from 0 on. Searches see each text with `prefix` before it. */
export class SearchTexts {
  readonly #prefix: string
  readonly #chunks: Chunk[] = []

  constructor(prefix = '') {
    this.#prefix = prefix
  }

  /** Sets the text at an index. A new index must follow the last one. */
  set(index: number, text: string): void {
    const chunk = Math.floor(index / chunkTexts)
    const texts = this.#split(chunk)
    texts[index % chunkTexts] = text
    // A full chunk is joined at once, so that a hundred thousand small strings do not stay in memory.
    if (index % chunkTexts === chunkTexts - 1) this.#join(chunk)
  }

  /** The indexes of the texts that contain `text`, in rising order. */
  containing(text: string, { lastChars = Infinity, max = Infinity }: SearchLimits = {}): number[] {
    const found: number[] = []
    if (text === '' || text.includes(separator)) return found
    for (let chunk = 0; chunk < this.#chunks.length && found.length <= max; chunk += 1) {
      const { joined, starts } = this.#join(chunk)
      let at = joined.indexOf(text)
      for (let index = 0; at >= 0 && found.length <= max;) {
        index = indexAt(starts, at, index)
        const end = (starts[index + 1] ?? 0) - 1
        const isInLastChars = at >= end - lastChars
        if (isInLastChars) found.push(chunk * chunkTexts + index)
        at = joined.indexOf(text, isInLastChars ? end : at + 1)
      }
    }
    return found
  }

  /** The indexes of the texts that equal `text`. */
  equal(text: string): number[] {
    const found: number[] = []
    if (text.includes(separator)) return found
    const whole = `${separator}${this.#prefix}${text}${separator}`
    for (let chunk = 0; chunk < this.#chunks.length; chunk += 1) {
      const { joined, starts } = this.#join(chunk)
      for (let at = joined.indexOf(whole); at >= 0; at = joined.indexOf(whole, at + 1))
        found.push(chunk * chunkTexts + indexAt(starts, at + 1, 0))
    }
    return found
  }

  #split(index: number): string[] {
    const chunk = this.#chunks[index]
    if (chunk !== undefined && 'texts' in chunk) return chunk.texts
    const between = `${separator}${this.#prefix}`
    const texts = chunk?.joined.slice(between.length, -1).split(between) ?? []
    this.#chunks[index] = { texts }
    return texts
  }

  #join(index: number): { joined: string; starts: Uint32Array } {
    const chunk = this.#chunks[index] ?? { texts: [] }
    if ('joined' in chunk) return chunk
    const starts = new Uint32Array(chunk.texts.length + 1)
    let next = 1
    for (const [position, text] of chunk.texts.entries()) {
      starts[position] = next
      next += this.#prefix.length + text.length + 1
    }
    starts[chunk.texts.length] = next
    const between = `${separator}${this.#prefix}`
    const joined = { joined: `${between}${chunk.texts.join(between)}${separator}`, starts }
    this.#chunks[index] = joined
    return joined
  }
}

/**
 * The last text, from `from` on, that starts at or before position `at`: an exponential search, then a binary one, so it
 * is fastest when the text is near `from`.
 */
function indexAt(starts: Uint32Array, at: number, from: number): number {
  const last = starts.length - 2
  let step = 1
  while (from + step <= last && (starts[from + step] ?? 0) <= at) step *= 2
  let [low, high] = [from + Math.floor(step / 2), Math.min(from + step - 1, last)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}
