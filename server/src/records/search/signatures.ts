// Signatures: for each token, the segments that have it. In which of them all that is asked for may be together.
import { sql } from 'kysely'
import type { Fragment } from '../read/condition.ts'
import { segmentsPerSignature, sliceBytes } from './build-segments.ts'
import { toOf } from './times.ts'

/** Slots of which a segment needs one of each group. */
type Groups = readonly (readonly number[])[]

/** Some segments of a signature, as the signature counts them. */
export interface Places {
  readonly signatureId: string
  readonly places: readonly number[]
}

/** A signature as it was built, on its own or as a part of a wide one: its segments in which all groups have a bit. */
export interface Signature extends Places {
  readonly toMs: number
}

/** What {@link partsAsked} gives; null in rows of anything else. */
export interface SignatureParts {
  readonly part_count: number | null
  /** Of wide ones, with commas between. */
  readonly part_ids: string | null
  readonly part_tos: string | null
  /** Of all slots asked for one after another; in each the parts side by side. */
  readonly slices: Buffer | null
}

interface SignatureRow extends SignatureParts {
  readonly id: string
  readonly to_ms: number
}

/** The columns of {@link partsAsked} where there is no signature. */
export const noSignature = sql`null::int as part_count, null::text as part_ids, null::text as part_tos, null::bytea as slices`

/** The columns {@link SignatureParts} of a signature `s`. The slices are cut out one by one: each has its own place on the disk. */
export function partsAsked(groups: Groups): Fragment {
  const slices = groups
    .flat()
    .map(
      (slot) =>
        sql`substring(s.slices from ${slot * sliceBytes}::int * s.part_count + 1 for ${sliceBytes}::int * s.part_count)`,
    )
  return sql`s.part_count, array_to_string(s.part_ids, ',') as part_ids,
    array_to_string(array(select ${sql.raw(toOf('t.at'))} from unnest(s.part_tos) t(at)), ',') as part_tos,
    ${sql.join(slices, sql` || `)} as slices`
}

/**
 * Whether a segment `s` that is in no signature yet has a bit of each group. One byte is cut out for each bit: the
 * database then reads that part of the tokens alone.
 */
export function bitsSet(groups: Groups): Fragment[] {
  return groups.map((group) => {
    const bits = group.map(
      (slot) => sql`get_bit(substring(s.tokens from ${(slot >> 3) + 1}::int for 1), ${slot & 7}::int) = 1`,
    )
    return sql`(${sql.join(bits, sql` or `)})`
  })
}

/** The signatures of a row, one or as many as were folded into it. `groups` are the slots that {@link partsAsked} asked for. */
export function partsOf(found: SignatureRow, groups: Groups): Signature[] {
  const ids = found.part_ids?.split(',')
  const tos = found.part_tos?.split(',')
  return Array.from({ length: found.part_count ?? 0 }, (_, part) => ({
    signatureId: ids?.[part] ?? found.id,
    toMs: ids === undefined ? found.to_ms : Number(tos?.[part]),
    places: placesSet(groups, found, part),
  }))
}

/** The segments of one part in which each group has a bit. */
function placesSet(
  groups: Groups,
  { slices, part_count: partCount }: SignatureParts,
  part: number,
): number[] {
  const result = Buffer.alloc(sliceBytes, 0xff)
  let next = 0
  for (const group of groups) {
    const any = Buffer.alloc(sliceBytes)
    for (let index = 0; index < group.length; index += 1, next += 1) {
      const from = (next * (partCount ?? 0) + part) * sliceBytes
      for (let octet = 0; octet < sliceBytes; octet += 1)
        any[octet] = (any[octet] ?? 0) | (slices?.[from + octet] ?? 0)
    }
    for (let octet = 0; octet < sliceBytes; octet += 1)
      result[octet] = (result[octet] ?? 0) & (any[octet] ?? 0)
  }
  const places: number[] = []
  for (let place = 0; place < segmentsPerSignature; place += 1)
    if (((result[place >> 3] ?? 0) & (1 << (place & 7))) !== 0) places.push(place)
  return places
}
