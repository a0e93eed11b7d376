// The forms in which a peer gets the ids of its messages (SMPP 3.4 §4.4.2 leaves the form to the SMSC).
import type { MessageIdForm } from '@tollgate/smpp/text/message-id.ts'
import type { IdStyle } from '../../ingest/index.ts'

export const defaultIdStyle: IdStyle = { form: 'text', isShort: false }

const base32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
// How many ids of 8 characters there are in each form. SMPP 3.3 has no room for more, so they repeat after as many records.
const shortCounts: Readonly<Record<MessageIdForm, number>> = {
  text: 32 ** 8,
  decimal: 10 ** 8,
  hex: 16 ** 8,
}
const radixes = { text: 32, decimal: 10, hex: 16 } as const
const patterns = { text: /^[0-9A-HJKMNP-TV-Z]{8}$/, decimal: /^\d{1,16}$/, hex: /^[0-9A-F]{1,14}$/ } as const

/** The id of a record as the peer gets it; `messageId` is its own id. Decimal and hexadecimal ids are the record's number. */
export function styledId(messageId: string, recordId: number, { form, isShort }: IdStyle): string {
  if (form === 'text' && !isShort) return messageId
  const count = shortCounts[form]
  if (form !== 'text') {
    const text = (isShort ? recordId % count : recordId).toString(radixes[form]).toUpperCase()
    return isShort ? text.padStart(8, '0') : text
  }
  let rest = recordId % count
  let text = ''
  for (let digit = 0; digit < 8; digit += 1) {
    text = base32.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** The record that such an id names: its number, of which a short id tells only the rest after a division by `modulus`. */
export interface StyledKey {
  readonly rest: number
  /** Undefined when `rest` is the whole number. */
  readonly modulus: number | undefined
}

/** Reads an id that {@link styledId} made; undefined when it cannot be one. */
export function readStyledId(text: string, { form, isShort }: IdStyle): StyledKey | undefined {
  const id = text.toUpperCase()
  if ((form === 'text' && !isShort) || !patterns[form].test(id)) return undefined
  let rest = 0
  for (const character of id) rest = rest * radixes[form] + base32.indexOf(character)
  return Number.isSafeInteger(rest) ? { rest, modulus: isShort ? shortCounts[form] : undefined } : undefined
}
