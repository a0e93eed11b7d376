// Joins segments into the text that a person reads. Only for display: each segment stays a record with its own charge.

import { decodeOctets, type Alphabet } from './alphabet.ts'
import { defaultTables } from './gsm7.ts'
import type { NationalTables } from './national-languages.ts'
import { mergeFlags, type DecodedText, type TextFlag } from './flags.ts'
import { beginsWithByteOrderMark } from './ucs2.ts'

interface TextSegment {
  /** From 1. */
  readonly sequence: number
  /** The alphabet that data_coding announced (`DecodedBody.alphabet`). */
  readonly alphabet: Alphabet
  /** Without header, septets one per octet (`DecodedBody.content`). */
  readonly content: Uint8Array
  /** `DecodedBody.tables`; the default tables when absent. */
  readonly tables?: NationalTables | undefined
}

interface JoinedText extends DecodedText {
  /** Sequences of the missing segments, ascending. */
  readonly missing: readonly number[]
}

/** The mark in a joined text for one or more missing segments. */
export const missingSegmentMark = '[…]'

/**
 * Joins the segments of one message in any order. Of several segments with the same sequence the first is used and the
 * others are flagged; segments outside 1–total are flagged and left out. Neighbours in the same alphabet are decoded
 * together, because a character may be cut between two segments. Never throws.
 */
export function joinSegments(segments: readonly TextSegment[], total: number): JoinedText {
  const bySequence = new Map<number, TextSegment>()
  const flags: TextFlag[] = []
  for (const segment of segments) {
    const isPossible =
      Number.isInteger(segment.sequence) && segment.sequence >= 1 && segment.sequence <= total
    if (!isPossible) flags.push('part_out_of_range')
    else if (bySequence.has(segment.sequence)) flags.push('repeated_part')
    else bySequence.set(segment.sequence, segment)
  }
  const missing: number[] = []
  let text = ''
  let run: TextSegment[] = []
  const flush = (): void => {
    const first = run[0]
    if (first === undefined) return
    const octets = Buffer.concat(run.map((segment) => segment.content))
    const decoded = decodeOctets(first.alphabet, octets, first.tables)
    text += decoded.text
    flags.push(...decoded.flags)
    run = []
  }
  // A header counts to 255, so a hostile total cannot make this loop long.
  for (let sequence = 1; sequence <= Math.min(total, 255); sequence++) {
    const segment = bySequence.get(sequence)
    if (segment === undefined || !continues(run.at(-1), segment)) flush()
    if (segment !== undefined) {
      run.push(segment)
      continue
    }
    if (missing.at(-1) !== sequence - 1 || missing.length === 0) text += missingSegmentMark
    missing.push(sequence)
  }
  flush()
  return { text, missing, flags: mergeFlags(flags, missing.length > 0 ? ['parts_missing'] : []) }
}

// An odd octet or a byte order mark concerns only its own UCS-2 segment and must not shift or swap the next ones.
function continues(previous: TextSegment | undefined, segment: TextSegment): boolean {
  if (previous?.alphabet !== segment.alphabet) return false
  // 23.038 §6.2.1.2.2: each segment names its own tables.
  if (!isSameTables(previous.tables, segment.tables)) return false
  if (segment.alphabet !== 'ucs2') return true
  return previous.content.length % 2 === 0 && !beginsWithByteOrderMark(segment.content)
}

function isSameTables(one = defaultTables, other = defaultTables): boolean {
  return one.locking === other.locking && one.single === other.single
}
