// Decodes the body of a submit_sm, deliver_sm or data_sm into text. The caller keeps the octets.

import { hasUdh } from '../values/esm-class.ts'
import { decodeOctets, readDataCoding, type Alphabet, type DefaultAlphabet } from './alphabet.ts'
import { mergeFlags, type DecodedText } from './flags.ts'
import { defaultTables, fillBitCount, unpackGsm7 } from './gsm7.ts'
import type { NationalTables } from './national-languages.ts'
import {
  choosePosition,
  positionFromSar,
  type SegmentPosition,
  type SarParameters,
} from './segment-position.ts'
import { parseUdh, type ApplicationPorts, type UserDataHeader } from './udh.ts'

interface MessageBody {
  readonly dataCoding: number
  readonly esmClass: number
  /** short_message or message_payload, header included. */
  readonly octets: Uint8Array
  readonly sar?: SarParameters | undefined
  /** The account's setting; gsm7 when absent. */
  readonly defaultAlphabet?: DefaultAlphabet | undefined
}

export interface DecodedBody extends DecodedText {
  /** The alphabet that the text was actually read in. */
  readonly encoding: Alphabet
  /** The alphabet of data_coding; joining segments needs this one. */
  readonly alphabet: Alphabet
  /** The body after its header, septets one per octet. May share memory with the input. */
  readonly content: Uint8Array
  /** How many octets at the start of the body are its header. */
  readonly headerOctetCount: number
  /** The national language tables that a GSM text is written in. */
  readonly tables: NationalTables
  /** Undefined for a single message, and when the position is impossible. */
  readonly position: SegmentPosition | undefined
  readonly ports: ApplicationPorts | undefined
  /** 0–3, when the data_coding has a class. */
  readonly messageClass: number | undefined
}

/** Decodes a body. Takes any octets and any numbers and never throws; `flags` lists what was unusual. */
export function decodeBody(body: MessageBody): DecodedBody {
  const coding = readDataCoding(body.dataCoding, body.defaultAlphabet)
  const header = hasUdh(body.esmClass) ? parseUdh(body.octets) : noHeader
  const rest = body.octets.subarray(header.octetCount)
  const { septets: content, flags: packingFlags } = coding.isPacked
    ? unpackGsm7(rest, fillBitCount(header.octetCount))
    : { septets: rest, flags: [] }
  const decoded = decodeOctets(coding.alphabet, content, header.tables)
  const sar = positionFromSar(body.sar ?? noSar)
  const chosen = choosePosition(header.position, sar.position)
  return {
    text: decoded.text,
    encoding: decoded.alphabet,
    alphabet: coding.alphabet,
    content,
    headerOctetCount: header.octetCount,
    tables: header.tables,
    position: chosen.position,
    ports: header.ports,
    messageClass: coding.messageClass,
    flags: mergeFlags(coding.flags, header.flags, sar.flags, chosen.flags, packingFlags, decoded.flags),
  }
}

const noHeader: UserDataHeader = {
  octetCount: 0,
  elements: [],
  position: undefined,
  ports: undefined,
  tables: defaultTables,
  flags: [],
}
const noSar: SarParameters = { reference: undefined, total: undefined, sequence: undefined }
