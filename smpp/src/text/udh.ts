// The user data header at the start of a body whose esm_class has the UDHI bit (3GPP TS 23.040 §9.2.3.24).

import { mergeFlags, type TextFlag } from './flags.ts'
import { defaultTables } from './gsm7.ts'
import {
  lockingTable,
  nationalLanguages,
  singleShiftTable,
  type NationalTables,
} from './national-languages.ts'
import { checkPosition, type SegmentPosition } from './segment-position.ts'

interface InformationElement {
  /** 0–255. */
  readonly id: number
  /** 0–253 octets, without identifier and length. */
  readonly value: Uint8Array
}

export interface ApplicationPorts {
  readonly destination: number
  readonly source: number
}

export interface UserDataHeader {
  /** Octets that the header takes, its length octet included; 0 when it cannot be cut off the body. */
  readonly octetCount: number
  readonly elements: readonly InformationElement[]
  readonly position: SegmentPosition | undefined
  readonly ports: ApplicationPorts | undefined
  /** The national language tables that the text is written in. */
  readonly tables: NationalTables
  readonly flags: readonly TextFlag[]
}

const concatenated8 = 0x00
const ports8 = 0x04
const ports16 = 0x05
const concatenated16 = 0x08
const singleShift = 0x24
const lockingShift = 0x25
const elementLengths: ReadonlyMap<number, number> = new Map([
  [concatenated8, 3],
  [ports8, 2],
  [ports16, 4],
  [concatenated16, 4],
  [singleShift, 1],
  [lockingShift, 1],
])

/**
 * Reads the header at the start of a body. Never throws. A header longer than the body, or with an element
 * longer than the header, is flagged and means nothing: the message is kept as a single one. Where the length of the header
 * is wrong and its elements are not, the text begins behind the elements.
 */
export function parseUdh(body: Uint8Array): UserDataHeader {
  const headerLength = body[0]
  const octetCount = (headerLength ?? 0) + 1
  if (headerLength === undefined || octetCount > body.length) return damaged(0)
  const elements: InformationElement[] = []
  for (let at = 1; at < octetCount;) {
    const valueLength = body[at + 1]
    const end = at + 2 + (valueLength ?? 0)
    if (valueLength === undefined || end > octetCount) return damaged(wholeElementsEnd(body, octetCount))
    elements.push({ id: body[at] ?? 0, value: body.subarray(at + 2, end) })
    at = end
  }
  return { octetCount, elements, ...readElements(elements) }
}

/** Where the elements end that this standard knows and whose lengths are right; `said` when there are none at the start. */
function wholeElementsEnd(body: Uint8Array, said: number): number {
  let end = 1
  while (end < said) {
    const valueLength = elementLengths.get(body[end] ?? -1)
    const next = end + 2 + (valueLength ?? 0)
    if (valueLength === undefined || body[end + 1] !== valueLength || next > body.length) break
    end = next
  }
  return end === 1 ? said : end
}

function damaged(octetCount: number): UserDataHeader {
  return {
    octetCount,
    elements: [],
    position: undefined,
    ports: undefined,
    tables: defaultTables,
    flags: ['bad_udh'],
  }
}

// 23.040 §9.2.3.24: of repeated or mutually exclusive elements the last one counts.
function readElements(elements: readonly InformationElement[]) {
  let position: SegmentPosition | undefined
  let ports: ApplicationPorts | undefined
  let positionFlags: readonly TextFlag[] = []
  let tables = defaultTables
  const flags: TextFlag[] = []
  for (const { id, value } of elements) {
    const length = elementLengths.get(id)
    if (length !== undefined && value.length !== length) {
      flags.push('bad_information_element')
      continue
    }
    if (id === singleShift) tables = { ...tables, single: value[0] ?? 0 }
    if (id === lockingShift) tables = { ...tables, locking: value[0] ?? 0 }
    if (id === ports8) ports = { destination: value[0] ?? 0, source: value[1] ?? 0 }
    if (id === ports16) ports = { destination: uint16(value, 0), source: uint16(value, 2) }
    if (id === concatenated8 || id === concatenated16) {
      const reading = checkPosition(positionOf(id, value))
      position = reading.position
      positionFlags = reading.flags
    }
  }
  return { position, ports, tables, flags: mergeFlags(flags, positionFlags, unknownLanguage(tables)) }
}

function unknownLanguage({ locking, single }: NationalTables): TextFlag[] {
  // Spanish has no locking table of its own: 23.038 annex A.3.2 refers to the default alphabet.
  const isLockingKnown =
    locking === 0 || locking === nationalLanguages.spanish || lockingTable(locking) !== undefined
  const isSingleKnown = single === 0 || singleShiftTable(single) !== undefined
  return isLockingKnown && isSingleKnown ? [] : ['unknown_language']
}

function positionOf(id: number, value: Uint8Array): SegmentPosition {
  return id === concatenated8
    ? { carrier: 'udh8', reference: value[0] ?? 0, total: value[1] ?? 0, sequence: value[2] ?? 0 }
    : { carrier: 'udh16', reference: uint16(value, 0), total: value[2] ?? 0, sequence: value[3] ?? 0 }
}

function uint16(octets: Uint8Array, at: number): number {
  return ((octets[at] ?? 0) << 8) | (octets[at + 1] ?? 0)
}

/**
 * The header octets of the elements, length octet first.
 * Throws RangeError beyond 255 octets, the limit of the length octet.
 */
export function buildUdh(elements: readonly InformationElement[]): Uint8Array {
  const headerLength = elements.reduce((sum, { value }) => sum + 2 + value.length, 0)
  if (headerLength > 255) throw new RangeError(`A user data header holds 255 octets, not ${headerLength}.`)
  return Uint8Array.from([headerLength, ...elements.flatMap(({ id, value }) => [id, value.length, ...value])])
}

/** The concatenation element of a segment: 8-bit (IEI 00) or 16-bit (IEI 08) by its carrier; none for sar_. */
export function concatenationElements(position: SegmentPosition): InformationElement[] {
  const { carrier, reference, total, sequence } = position
  if (carrier === 'sar') return []
  if (carrier === 'udh8') return [{ id: concatenated8, value: Uint8Array.of(reference, total, sequence) }]
  return [{ id: concatenated16, value: Uint8Array.of(reference >> 8, reference, total, sequence) }]
}

/** The elements that name the national language tables of a text; none for the default tables. */
export function languageElements({ locking, single }: NationalTables): InformationElement[] {
  return [
    ...(single === 0 ? [] : [{ id: singleShift, value: Uint8Array.of(single) }]),
    ...(locking === 0 ? [] : [{ id: lockingShift, value: Uint8Array.of(locking) }]),
  ]
}
