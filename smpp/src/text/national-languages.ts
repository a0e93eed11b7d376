// The national language tables of the GSM alphabet (3GPP TS 23.038 annex A). A message names them in its user data
// header: the locking shift table (IEI 0x25) replaces the default alphabet, the single shift table (IEI 0x24) what an
// escape leads to. A data table.

import { defaultTable, extensionTable } from './gsm7-tables.ts'

/** The language identifiers of TS 23.038 §6.2.1.2.4; 0 is the default alphabet. */
export const nationalLanguages = {
  turkish: 1,
  spanish: 2,
  portuguese: 3,
  bengali: 4,
  gujarati: 5,
  hindi: 6,
  kannada: 7,
  malayalam: 8,
  oriya: 9,
  punjabi: 10,
  tamil: 11,
  telugu: 12,
  urdu: 13,
} as const

/** The tables that a message uses: a language identifier each, 0 for the default. */
export interface NationalTables {
  readonly locking: number
  readonly single: number
}

// Code units by septet; 0 where a table has no character. The escape itself is no character.
type Table = Uint16Array

/** The locking shift table of a language; undefined where it has none, so that the default alphabet stays (annex A.3). */
export function lockingTable(language: number): Table | undefined {
  return locking.get(language)
}

/** The single shift table of a language; undefined for an unknown one (annex A.2). */
export function singleShiftTable(language: number): Table | undefined {
  return single.get(language)
}

const { turkish, spanish, portuguese, urdu } = nationalLanguages

// The Indian locking tables have one layout. Two digits are an offset in the Unicode block of the script, from 0x00 on
// to 0x5F; the letters a to z follow, and six characters of each script's own.
const indianLayout =
  '01 02 03 05 06 07 08 09 0A 0B LF 0C 0D CR 0E 0F ' +
  '10 11 12 13 14 15 16 17 18 19 1A ESC 1B 1C 1D 1E ' +
  'SP ! 1F 20 21 22 23 24 ) ( 25 26 , 27 . 28 ' +
  '0 1 2 3 4 5 6 7 8 9 : ; 29 2A 2B ? ' +
  '2C 2D 2E 2F 30 31 32 33 34 35 36 37 38 39 3C 3D ' +
  '3E 3F 40 41 42 43 44 45 46 47 48 49 4A 4B 4C 4D'

interface IndianScript {
  /** Where its Unicode block begins. */
  readonly block: number
  /** Offsets of the layout that its table leaves empty. */
  readonly without: string
  /** The characters at 0x60 and at 0x7B to 0x7F, as offsets. */
  readonly own: string
  /** Its characters in the single shift table, in the order of `indianShiftPlaces`; `-` for none. */
  readonly shifted: string
}

const indianScripts: ReadonlyMap<number, IndianScript> = new Map([
  [
    nationalLanguages.bengali,
    {
      block: 0x0980,
      without: '0D 0E 11 12 29 31 33 34 35 45 46 49 4A',
      own: '4E 57 5C 5D 70 71',
      shifted: '9E6-9EF 9DF 9E0-9E3 9F2-9FA',
    },
  ],
  [
    nationalLanguages.gujarati,
    {
      block: 0x0a80,
      without: '0E 12 29 31 34 46 4A',
      own: '50 60 61 62 63 71',
      shifted: '964 965 AE6-AEF',
    },
  ],
  [
    nationalLanguages.hindi,
    {
      block: 0x0900,
      without: '',
      own: '50 72 7B 7C 7E 7F',
      shifted: '964 965 966-96F 951-954 958-963 970 971',
    },
  ],
  [
    nationalLanguages.kannada,
    {
      block: 0x0c80,
      without: '01 0D 11 29 34 45 49',
      own: '55 56 60 61 62 63',
      shifted: '964 965 CE6-CEF CDE CF1 CF2',
    },
  ],
  [
    nationalLanguages.malayalam,
    {
      block: 0x0d00,
      without: '01 0D 11 29 3C 45 49',
      own: '57 60 61 62 63 79',
      shifted: '964 965 D66-D75 D7A-D7F',
    },
  ],
  [
    nationalLanguages.oriya,
    {
      block: 0x0b00,
      without: '0D 0E 11 12 29 31 34 45 46 49 4A',
      own: '56 57 60 61 62 63',
      shifted: '964 965 B66-B6F B5C B5D B5F B70 B71',
    },
  ],
  [
    nationalLanguages.punjabi,
    {
      block: 0x0a00,
      without: '0B 0C 0D 0E 11 12 29 31 34 37 3D 43 44 45 46 49 4A',
      own: '51 70 71 72 73 74',
      shifted: '964 965 A66-A6F A59-A5C A5E A75',
    },
  ],
  [
    nationalLanguages.tamil,
    {
      block: 0x0b80,
      without: '01 0B 0C 0D 11 16 17 18 1B 1D 20 21 22 25 26 27 2B 2C 2D 3C 3D 43 44 45 49',
      own: '50 57 70 71 72 79',
      shifted: '964 965 BE6-BEF BF3-BF8 BFA',
    },
  ],
  [
    nationalLanguages.telugu,
    {
      block: 0x0c00,
      without: '0D 11 29 34 3C 45 49',
      own: '55 56 60 61 62 63',
      shifted: '- - C66-C6F C58 C59 C78-C7F',
    },
  ],
])

// Rows of sixteen. Its letters stand in no order of Unicode.
const urduLocking =
  '\u0627\u0622\u0628\u067b\u0680\u067e\u06a6\u062a\u06c2\u067f\n\u0679\u067d\r\u067a\u067c' +
  '\u062b\u062c\u0681\u0684\u0683\u0685\u0686\u0687\u062d\u062e\u062f\u001b\u068c\u0688\u0689\u068a' +
  ' !\u068f\u068d\u0630\u0631\u0691\u0693)(\u0699\u0632,\u0696.\u0698' +
  '0123456789:;\u069a\u0633\u0634?' +
  '\u0635\u0636\u0637\u0638\u0639\u0641\u0642\u06a9\u06aa\u06ab\u06af\u06b3\u06b1\u0644\u0645\u0646' +
  '\u06ba\u06bb\u06bc\u0648\u06c4\u06d5\u06c1\u06be\u0621\u06cc\u06d0\u06d2\u064d\u0650\u064f\u0657' +
  '\u0654abcdefghijklmnopqrstuvwxyz\u0655\u0651\u0653\u0656\u0670'
const urduShifted = '600 601 6F0-6F9 60C-614 61B 61F 640 652 658 66B 66C 672 673 6CD'

const locking: ReadonlyMap<number, Table> = new Map([
  [
    turkish,
    withChanges(tableOf(defaultTable), {
      0x04: '€',
      0x07: 'ı',
      0x0b: 'Ğğ',
      0x1c: 'Şş',
      0x40: 'İ',
      0x60: 'ç',
    }),
  ],
  [
    portuguese,
    withChanges(tableOf(defaultTable), {
      0x04: 'êéúíóç',
      0x0b: 'Ôô',
      0x0e: 'Áá',
      0x12: 'ªÇÀ∞^\\€Ó|',
      0x1c: 'ÂâÊÉ',
      0x24: 'º',
      0x40: 'Í',
      0x5b: 'ÃÕÚÜ§~',
      0x7b: 'ãõ`üà',
    }),
  ],
  ...[...indianScripts].map(([language, script]): [number, Table] => [language, indianLocking(script)]),
  [urdu, tableOf(urduLocking)],
])

// The places for a script's own characters in the Indian single shift tables.
const indianShiftPlaces = [
  0x19, 0x1a, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2a, 0x2b, 0x2c, 0x2d,
  0x2e, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x3b,
]

const single: ReadonlyMap<number, Table> = new Map([
  [
    turkish,
    withChanges(defaultExtension(), {
      0x47: 'Ğ',
      0x49: 'İ',
      0x53: 'Ş',
      0x63: 'ç',
      0x67: 'ğ',
      0x69: 'ı',
      0x73: 'ş',
    }),
  ],
  [
    spanish,
    withChanges(defaultExtension(), {
      0x09: 'ç',
      0x41: 'Á',
      0x49: 'Í',
      0x4f: 'Ó',
      0x55: 'Ú',
      0x61: 'á',
      0x69: 'í',
      0x6f: 'ó',
      0x75: 'ú',
    }),
  ],
  [
    portuguese,
    withChanges(defaultExtension(), {
      0x05: 'ê',
      0x09: 'ç',
      0x0b: 'Ôô',
      0x0e: 'Áá',
      0x12: 'ΦΓ^ΩΠΨΣΘ',
      0x1f: 'Ê',
      0x41: 'À',
      0x49: 'Í',
      0x4f: 'Ó',
      0x55: 'Ú',
      0x5b: 'ÃÕ',
      0x61: 'Â',
      0x69: 'í',
      0x6f: 'ó',
      0x75: 'ú',
      0x7b: 'ãõ',
      0x7f: 'â',
    }),
  ],
  ...[...indianScripts].map(([language, { shifted }]): [number, Table] => [language, indianSingle(shifted)]),
  [urdu, withChanges(indianSingle(urduShifted), { 0x3f: '\u06d4' })],
])

function tableOf(characters: string): Table {
  return Uint16Array.from(characters, (character) => (character === '\u001b' ? 0 : character.charCodeAt(0)))
}

function defaultExtension(): Table {
  const table = new Uint16Array(128)
  for (const [septet, character] of extensionTable) table[septet] = character.charCodeAt(0)
  return table
}

/** Writes each text at its septet and the following ones. */
function withChanges(table: Table, changes: Readonly<Record<number, string>>): Table {
  for (const [septet, text] of Object.entries(changes))
    for (let at = 0; at < text.length; at++) table[Number(septet) + at] = text.charCodeAt(at)
  return table
}

function indianLocking({ block, without, own }: IndianScript): Table {
  const missing = new Set(without.split(' '))
  const named: Readonly<Record<string, number>> = { LF: 0x0a, CR: 0x0d, SP: 0x20, ESC: 0 }
  const codeOf = (cell: string): number => {
    if (cell.length === 1) return cell.charCodeAt(0)
    return named[cell] ?? (missing.has(cell) ? 0 : block + Number.parseInt(cell, 16))
  }
  const [first = '', ...last] = own.split(' ')
  const letters = 'abcdefghijklmnopqrstuvwxyz'.split('')
  return Uint16Array.from([...indianLayout.split(' '), first, ...letters, ...last], codeOf)
}

function indianSingle(shifted: string): Table {
  const table = withChanges(new Uint16Array(128), {
    0x00: '@£$¥¿"¤%&\'\f*+',
    0x0e: '-/<=>¡^¡_#*',
    0x28: '{}',
    0x2f: '\\',
    0x3c: '[~]',
    0x40: '|ABCDEFGHIJKLMNOPQRSTUVWXYZ',
    0x65: '€',
  })
  for (const [at, code] of codesOf(shifted).entries()) table[indianShiftPlaces[at] ?? 0] = code
  return table
}

/** Code points in hexadecimal, with ranges: `964 966-96F`; a dash alone is 0. */
function codesOf(list: string): number[] {
  return list.split(' ').flatMap((item) => {
    if (item === '-') return [0]
    const [first = 0, last = first] = item.split('-').map((hex) => Number.parseInt(hex, 16))
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
}
