// The PDUs in the log of Kannel's bearerbox: at log-level 0 it writes every field of each one, octets in hexadecimal.
import type { SeenMessage } from './messages.ts'

/** One PDU as Kannel wrote it. */
export interface LoggedPdu {
  readonly way: 'Got' | 'Sending'
  readonly name: string
  /** Numbers in decimal, texts as hexadecimal octets; empty for what is not there. */
  readonly fields: ReadonlyMap<string, string>
}

interface Dump {
  readonly way: LoggedPdu['way']
  readonly fields: Map<string, string>
  /** The field whose octets follow. */
  field: string
}

/** Reads the log line by line. Threads write at the same time, so each has its own dump. */
export class KannelLog {
  readonly #onPdu: (pdu: LoggedPdu) => void
  readonly #dumps = new Map<string, Dump>()

  constructor(onPdu: (pdu: LoggedPdu) => void) {
    this.#onPdu = onPdu
  }

  hear(line: string): void {
    const [, thread = '', text = ''] = /^\S+ \S+ \[\d+\] \[(\d+)\] DEBUG: (.*)$/.exec(line) ?? []
    const way = /: (Got|Sending) PDU:$/.exec(text)?.[1]
    if (way === 'Got' || way === 'Sending') this.#dumps.set(thread, { way, fields: new Map(), field: '' })
    const dump = this.#dumps.get(thread)
    if (dump === undefined) return
    if (text === 'SMPP PDU dump ends.') {
      this.#dumps.delete(thread)
      this.#onPdu({ way: dump.way, name: dump.fields.get('type_name') ?? '', fields: dump.fields })
    } else readLine(dump, text)
  }
}

function readLine(dump: Dump, text: string): void {
  const octets = /^ {5}data:((?: [0-9a-f]{2})+)/.exec(text)?.[1]
  if (octets !== undefined) {
    const before = dump.fields.get(dump.field) ?? ''
    dump.fields.set(dump.field, before + octets.replaceAll(' ', ''))
    return
  }
  const [, field, value = ''] = /^ {2}(\w+):(.*)$/.exec(text) ?? []
  if (field === undefined) return
  dump.field = field
  dump.fields.set(field, valueOf(field, value.trim()))
}

function valueOf(field: string, value: string): string {
  if (field === 'type_name') return value
  const number = /^(\d+) = 0x/.exec(value)?.[1]
  if (number !== undefined) return number
  const quoted = /^"(.*)"$/.exec(value)?.[1]
  return quoted === undefined ? '' : Buffer.from(quoted, 'latin1').toString('hex')
}

/** A text field. */
export const textOf = ({ fields }: LoggedPdu, name: string): string =>
  Buffer.from(fields.get(name) ?? '', 'hex').toString('latin1')

/** A submit_sm or deliver_sm as it is compared. */
export function seenOf(pdu: LoggedPdu): SeenMessage {
  const number = (name: string) => Number(pdu.fields.get(name))
  return {
    source: textOf(pdu, 'source_addr'),
    sourceTon: number('source_addr_ton'),
    coding: number('data_coding'),
    esmClass: number('esm_class'),
    hex: pdu.fields.get('short_message') ?? '',
  }
}
