// The alphabet of a data_coding, and the text of octets in that alphabet.

import { dataCoding } from '../values/data-coding.ts'
import { mergeFlags, type DecodedText, type TextFlag } from './flags.ts'
import { decodeGsm7 } from './gsm7.ts'
import { decodeAscii, decodeCyrillic, decodeHebrew, decodeLatin1 } from './latin1.ts'
import { decodeUcs2 } from './ucs2.ts'

/** How octets are to be read; `unknown` is shown in hexadecimal like `binary`, but flagged. */
export type Alphabet =
  'gsm7' | 'ascii' | 'latin1' | 'cyrillic' | 'hebrew' | 'ucs2' | 'utf8' | 'binary' | 'unknown'

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

const decoders: Readonly<Record<Alphabet, (octets: Uint8Array) => DecodedText>> = {
  gsm7: decodeGsm7,
  ascii: decodeAscii,
  latin1: decodeLatin1,
  cyrillic: decodeCyrillic,
  hebrew: decodeHebrew,
  ucs2: decodeUcs2,
  utf8: (octets) => ({ text: new TextDecoder('utf-8').decode(octets), flags: [] }),
  binary: (octets) => ({ text: Buffer.from(octets).toString('hex'), flags: [] }),
  unknown: (octets) => ({ text: Buffer.from(octets).toString('hex'), flags: ['unknown_data_coding'] }),
}

/**
 * Text of octets in an alphabet (septets one per octet for gsm7; lower-case hexadecimal for binary and unknown).
 * Never throws. GSM and ASCII have no octets above 127: when there are some and the whole is UTF-8, it is
 * read as UTF-8 and flagged. NUL becomes U+FFFD, since databases and terminals do not take it as text.
 */
export function decodeOctets(alphabet: Alphabet, octets: Uint8Array): AlphabetText {
  const undeclared = alphabet === 'gsm7' || alphabet === 'ascii' ? undeclaredUtf8(octets) : undefined
  const actual: Alphabet = undeclared === undefined ? alphabet : 'utf8'
  const decoded: DecodedText =
    undeclared === undefined ? decoders[alphabet](octets) : { text: undeclared, flags: ['utf8_undeclared'] }
  if (!decoded.text.includes('\0')) return { alphabet: actual, ...decoded }
  const text = decoded.text.replaceAll('\0', '\ufffd')
  return { alphabet: actual, text, flags: mergeFlags(decoded.flags, ['nul']) }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

// The text when the octets are UTF-8 beyond ASCII, else undefined.
function undeclaredUtf8(octets: Uint8Array): string | undefined {
  if (octets.every((octet) => octet < 0x80)) return undefined
  try {
    return strictUtf8.decode(octets)
  } catch {
    // With `fatal` the decoder throws only for octets that are not UTF-8.
    return undefined
  }
}
