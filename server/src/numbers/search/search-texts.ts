// Texts in memory that are searched for any part of them: a hundred thousand take about a millisecond.

// So many are joined: a new text costs the joining of one part, not of all.
const partTexts = 4_096
// PostgreSQL stores it in no text.
const seam = '\0'

/** Texts that follow each other, each between two seams; or apart, while they change. */
type Part = { joined: string; starts: Uint32Array } | { apart: string[] }

export interface Where {
  /** Looks at no more than so many characters at each text's end. */
  readonly lastChars?: number | undefined
  /** Stops once it has found more than so many. */
  readonly most?: number | undefined
}

/** Texts by place, from 0 on. A search finds each with `lead` before it. */
export class SearchTexts {
  readonly #lead: string
  readonly #parts: Part[] = []

  constructor(lead = '') {
    this.#lead = lead
  }

  /** Puts a text in its place, which may be the first free one. */
  set(place: number, text: string): void {
    const index = Math.floor(place / partTexts)
    const apart = this.#takeApart(index)
    apart[place % partTexts] = text
    // At once, so that a hundred thousand single texts are not kept until somebody searches.
    if (place % partTexts === partTexts - 1) this.#join(index)
  }

  /** The places of the texts that contain `wanted`, in their order. */
  containing(wanted: string, { lastChars = Infinity, most = Infinity }: Where = {}): number[] {
    const found: number[] = []
    if (wanted === '' || wanted.includes(seam)) return found
    for (let index = 0; index < this.#parts.length && found.length <= most; index += 1) {
      const { joined, starts } = this.#join(index)
      let at = joined.indexOf(wanted)
      for (let place = 0; at >= 0 && found.length <= most;) {
        place = placeOf(starts, at, place)
        const end = (starts[place + 1] ?? 0) - 1
        const isNear = at >= end - lastChars
        if (isNear) found.push(index * partTexts + place)
        at = joined.indexOf(wanted, isNear ? end : at + 1)
      }
    }
    return found
  }

  /** The places of the texts that are exactly `wanted`. */
  equal(wanted: string): number[] {
    const found: number[] = []
    if (wanted.includes(seam)) return found
    const whole = `${seam}${this.#lead}${wanted}${seam}`
    for (let index = 0; index < this.#parts.length; index += 1) {
      const { joined, starts } = this.#join(index)
      for (let at = joined.indexOf(whole); at >= 0; at = joined.indexOf(whole, at + 1))
        found.push(index * partTexts + placeOf(starts, at + 1, 0))
    }
    return found
  }

  #takeApart(index: number): string[] {
    const part = this.#parts[index]
    if (part !== undefined && 'apart' in part) return part.apart
    const between = `${seam}${this.#lead}`
    const apart = part?.joined.slice(between.length, -1).split(between) ?? []
    this.#parts[index] = { apart }
    return apart
  }

  #join(index: number): { joined: string; starts: Uint32Array } {
    const part = this.#parts[index] ?? { apart: [] }
    if ('joined' in part) return part
    const starts = new Uint32Array(part.apart.length + 1)
    let next = 1
    for (const [place, text] of part.apart.entries()) {
      starts[place] = next
      next += this.#lead.length + text.length + 1
    }
    starts[part.apart.length] = next
    const between = `${seam}${this.#lead}`
    const joined = { joined: `${between}${part.apart.join(between)}${seam}`, starts }
    this.#parts[index] = joined
    return joined
  }
}

/** The last of the texts, from `from` on, that starts at or before `at`; quickest where that is near. */
function placeOf(starts: Uint32Array, at: number, from: number): number {
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
