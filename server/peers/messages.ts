// What is exchanged with each peer, octet for octet, and how it is compared.

export interface PeerMessage {
  readonly name: string
  readonly source: string
  readonly sourceTon: number
  readonly coding: number
  readonly esmClass: number
  /** short_message in hexadecimal, its header included. */
  readonly hex: string
  /** What a reader shows; absent for octets. */
  readonly text?: string
  readonly registeredDelivery: number
}

/** The fields of a message as a peer or a record holds them. */
export interface SeenMessage {
  readonly source: string
  readonly sourceTon: number
  readonly coding: number
  readonly esmClass: number
  readonly hex: string
  /** What it shows its user; absent where nobody was shown a text. */
  readonly text?: string | undefined
}

/** A text that a peer splits by itself. */
export interface LongText {
  readonly name: string
  readonly text: string
  readonly coding: 0 | 8
}

const plain = { source: '447700900318', sourceTon: 1, coding: 0, esmClass: 0, registeredDelivery: 0 }
const hexOf = (text: string) => Buffer.from(text, 'latin1').toString('hex')
const utf16Hex = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex')

const hebrew = 'שלום עולם'

/** The three parts of one long message, joined by a header. */
const parts = ['The first part, ', 'the second part, ', 'the third part.'].map((text, index) => ({
  ...plain,
  name: `long message, part ${index + 1} of 3`,
  esmClass: 0x40,
  hex: `0500032a030${index + 1}${hexOf(text)}`,
  text,
}))

export const messages: readonly PeerMessage[] = [
  {
    ...plain,
    name: 'GSM text, receipt requested',
    hex: hexOf('Hello'),
    text: 'Hello',
    registeredDelivery: 1,
  },
  // 3GPP TS 23.038: é is 05; the others are in the extension table.
  { ...plain, name: 'GSM text é € [ ]', hex: '05201b65201b3c201b3e', text: 'é € [ ]' },
  { ...plain, name: 'UCS-2 text', coding: 8, hex: utf16Hex(hebrew), text: hebrew },
  { ...plain, name: 'binary', coding: 4, hex: '00ff10801b7f0d' },
  ...parts,
  {
    ...plain,
    name: 'national sender',
    source: '7700900318',
    sourceTon: 2,
    hex: hexOf('TON 2'),
    text: 'TON 2',
  },
]

export const longTexts: readonly LongText[] = [
  // The escape of each € takes a second septet.
  { name: '700 characters of GSM with €', text: 'Price: 5 €'.repeat(70), coding: 0 },
  { name: '300 characters of UCS-2', text: 'שלום עולם '.repeat(30), coding: 8 },
]

/** What differs between a message and what was seen of it; empty when nothing does. */
function differences(message: PeerMessage, seen: SeenMessage | undefined): string {
  if (seen === undefined) return 'did not arrive'
  const fields = ['source', 'sourceTon', 'coding', 'esmClass', 'hex'] as const
  const faults = fields
    .filter((field) => message[field] !== seen[field])
    .map((field) => `${field} is ${seen[field]}, not ${message[field]}`)
  const isMisread = seen.text !== undefined && message.text !== undefined && seen.text !== message.text
  return [...faults, ...(isMisread ? [`it reads ${seen.text}, not ${message.text}`] : [])].join('; ')
}

/** Finds each message among those that were seen, by its octets, and says how it fared. */
export function compare(
  seen: readonly SeenMessage[],
  differs: (message: PeerMessage) => Partial<PeerMessage> = () => ({}),
): { name: string; fault: string }[] {
  const left = [...seen]
  return messages.map((standard) => {
    const message = { ...standard, ...differs(standard) }
    const index = left.findIndex(({ hex }) => hex === message.hex)
    const [found] = index < 0 ? [] : left.splice(index, 1)
    return { name: message.name, fault: differences(message, found) }
  })
}
