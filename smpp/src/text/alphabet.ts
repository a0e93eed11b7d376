// The alphabet of a data_coding, and the text of octets in that alphabet.

import { dataCoding } from '../values/data-coding.ts'
import { mergeFlags, type DecodedText, type TextFlag } from './flags.ts'
import { decodeGsm7, defaultTables } from './gsm7.ts'
import { decodeIso2022Jp, decodeKsc5601, decodeShiftJis, decodeX0208, decodeX0212 } from './east-asian.ts'
import { decodeAscii, decodeCyrillic, decodeHebrew, decodeLatin1 } from './latin1.ts'
import type { NationalTables } from './national-languages.ts'
import { decodeUcs2 } from './ucs2.ts'

/** How octets are to be read; `unknown` is shown in hexadecimal like `binary`, but flagged. */
export type Alphabet =
  | 'gsm7'
  | 'ascii'
  | 'latin1'
  | 'cyrillic'
  | 'hebrew'
  | 'ucs2'
  | 'utf8'
  | 'shift_jis'
  | 'jis_x0208'
  | 'iso2022_jp'
  | 'jis_x0212'
  | 'ksc5601'
  | 'binary'
  | 'unknown'

/**
 * The meaning of a peer's data_coding 0. SMPP 3.4 §5.2.19 leaves it to the SMSC, so it is a setting of the account:
 * GSM septets one per octet (the usual), the same packed, or another set. It also applies to the message class and
 * message waiting groups, because an SMSC converts all its default text in the same way.
 */
export type DefaultAlphabet = 'gsm7' | 'packed7' | 'ascii' | 'latin1' | 'utf8'

interface DataCodingReading {
  readonly alphabet: Alphabet
  /** The septets are packed and must be unpacked before they are read. */
  readonly isPacked: boolean
  /** 0 (shown at once, not kept) to 3 (SIM), when the data_coding has a class. */
  readonly messageClass: number | undefined
  readonly flags: readonly TextFlag[]
}

const alphabets: ReadonlyMap<number, Alphabet> = new Map([
  [dataCoding.ia5, 'ascii'],
  [dataCoding.octetsUnspecified, 'binary'],
  [dataCoding.latin1, 'latin1'],
  [dataCoding.octets, 'binary'],
  [dataCoding.cyrillic, 'cyrillic'],
  [dataCoding.hebrew, 'hebrew'],
  [dataCoding.ucs2, 'ucs2'],
  [dataCoding.jis, 'jis_x0208'],
  // Pictograms are code points of Shift-JIS in the networks that have them.
  [dataCoding.pictogram, 'shift_jis'],
  [dataCoding.musicCodes, 'iso2022_jp'],
  [dataCoding.extendedKanji, 'jis_x0212'],
  [dataCoding.koreanKsc, 'ksc5601'],
])

/** Reads a data_coding octet (SMPP 3.4 §5.2.19; its GSM groups 3GPP TS 23.038 §4). Never throws. */
export function readDataCoding(coding: number, defaultAlphabet: DefaultAlphabet = 'gsm7'): DataCodingReading {
  const known = alphabets.get(coding)
  if (known !== undefined) return reading(known)
  if (coding === dataCoding.smscDefault) return defaultReading(defaultAlphabet)
  const messageClass = coding & 0x03
  // All bits but the low four, so that no number above 255 is taken for a group.
  switch (coding & ~0x0f) {
    case 0x10:
      return generalGroup(coding, messageClass, defaultAlphabet)
    case 0xc0:
    case 0xd0:
      // Message waiting with text in the default alphabet.
      return defaultReading(defaultAlphabet)
    case 0xe0:
      // Message waiting with UCS-2 text, a value that SMPP 3.4 reserves.
      return { ...reading('ucs2'), flags: ['reserved_data_coding'] }
    case 0xf0:
      // Bit 2 chooses between the default alphabet and 8-bit data; bit 3 is reserved and means nothing.
      return {
        ...((coding & 0x04) === 0 ? defaultReading(defaultAlphabet) : reading('binary')),
        messageClass,
      }
    default:
      return { ...reading('unknown'), flags: ['unknown_data_coding'] }
  }
}

// 0x10–0x1F: SMPP 3.4 reserves them, but SMSCs forward the GSM octet unchanged ("flash" text is 0x10 or 0x18).
function generalGroup(coding: number, messageClass: number, standard: DefaultAlphabet): DataCodingReading {
  const flags: TextFlag[] = ['reserved_data_coding']
  switch (coding & 0x0c) {
    case 0x00:
      return { ...defaultReading(standard), messageClass, flags }
    case 0x04:
      return { ...reading('binary'), messageClass, flags }
    case 0x08:
      return { ...reading('ucs2'), messageClass, flags }
    default:
      return { ...reading('unknown'), flags: ['unknown_data_coding'] }
  }
}

function defaultReading(defaultAlphabet: DefaultAlphabet): DataCodingReading {
  if (defaultAlphabet === 'packed7') return { ...reading('gsm7'), isPacked: true }
  return reading(defaultAlphabet)
}

function reading(alphabet: Alphabet): DataCodingReading {
  return { alphabet, isPacked: false, messageClass: undefined, flags: [] }
}

interface AlphabetText extends DecodedText {
  /** The alphabet that the text was actually read in. */
  readonly alphabet: Alphabet
}

type Decoder = (octets: Uint8Array, tables: NationalTables) => DecodedText

const decoders: Readonly<Record<Alphabet, Decoder>> = {
  gsm7: decodeGsm7,
  ascii: decodeAscii,
  latin1: decodeLatin1,
  cyrillic: decodeCyrillic,
  hebrew: decodeHebrew,
  ucs2: decodeUcs2,
  utf8: decodeUtf8,
  shift_jis: decodeShiftJis,
  jis_x0208: decodeX0208,
  iso2022_jp: decodeIso2022Jp,
  jis_x0212: decodeX0212,
  ksc5601: decodeKsc5601,
  binary: (octets) => ({ text: Buffer.from(octets).toString('hex'), flags: [] }),
  unknown: (octets) => ({ text: Buffer.from(octets).toString('hex'), flags: ['unknown_data_coding'] }),
}

/**
 * Text of octets in an alphabet (septets one per octet for gsm7; lower-case hexadecimal for binary and unknown); `tables`
 * are those of a GSM text. Never throws. GSM and ASCII have no octets above 127: when there are some, the text is read
 * as UTF-8 if it is UTF-8, and a GSM text else as Latin-1; both are flagged. NUL becomes U+FFFD, since databases and
 * terminals do not take it as text.
 */
export function decodeOctets(
  alphabet: Alphabet,
  octets: Uint8Array,
  tables: NationalTables = defaultTables,
): AlphabetText {
  const decoded = undeclared(alphabet, octets, tables) ?? { alphabet, ...decoders[alphabet](octets, tables) }
  if (!decoded.text.includes('\0')) return decoded
  return {
    alphabet: decoded.alphabet,
    text: decoded.text.replaceAll('\0', '\ufffd'),
    flags: mergeFlags(decoded.flags, ['nul']),
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(octets: Uint8Array): DecodedText {
  try {
    return { text: strictUtf8.decode(octets), flags: [] }
  } catch {
    // With `fatal` the decoder throws only for octets that are not UTF-8.
    return { text: new TextDecoder('utf-8').decode(octets), flags: ['unassigned_code'] }
  }
}

/** The text in the alphabet that it shows by itself, when that is another one than was announced. */
function undeclared(
  alphabet: Alphabet,
  octets: Uint8Array,
  tables: NationalTables,
): AlphabetText | undefined {
  if (alphabet !== 'gsm7' && alphabet !== 'ascii') return undefined
  if (octets.every((octet) => octet < 0x80)) return undefined
  try {
    return { alphabet: 'utf8', text: strictUtf8.decode(octets), flags: ['utf8_undeclared'] }
  } catch {
    // With `fatal` the decoder throws only for octets that are not UTF-8.
  }
  const isNational = tables.locking !== 0 || tables.single !== 0
  if (alphabet === 'ascii' || isNational || octets.some(isLatin1Control)) return undefined
  const { text, flags } = decodeLatin1(octets)
  return { alphabet: 'latin1', text, flags: ['latin1_undeclared', ...flags] }
}

// Letters and signs in the GSM alphabet, but control codes in Latin-1, where only these four belong to texts.
function isLatin1Control(octet: number): boolean {
  return octet < 0x20 && octet !== 0x09 && octet !== 0x0a && octet !== 0x0c && octet !== 0x0d
}
