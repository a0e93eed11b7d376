// From a list of fields to a PDU type: its body's TypeScript type, its reader and its writer.
import { type Tlv, noTlvs, readTlvs, writeTlvs } from '../tlv/tlv.ts'
import { commandId, type CommandName } from '../values/command-id.ts'
import type { Reader } from '../wire/reader.ts'
import type { Writer } from '../wire/writer.ts'
import type { Field } from './field.ts'

type AnyFields = { readonly [name: string]: Field<unknown> }

/** The body that a field list describes. Every body may carry TLVs: SMPP 5.0 peers add them anywhere. */
export type BodyOf<Fields> = { [Name in keyof Fields]: Fields[Name] extends Field<infer T> ? T : never } & {
  tlvs: readonly Tlv[]
}

export interface PduType<Name extends CommandName = CommandName, Body = unknown> {
  readonly name: Name
  readonly id: number
  readonly fields: Readonly<Record<string, Field<unknown>>>
  /** A fresh body with every field empty. */
  initial(): Body
  /** As leniently as the reader is. */
  read(reader: Reader, onDuplicateTlv: () => void): Body
  /** `withTlvs` is false for a peer older than 3.4, which must never see one (§3.4.2). */
  write(writer: Writer, body: Body, withTlvs: boolean): void
}

/** Defines a PDU by its mandatory fields in wire order. `readFast` may replace reading by the list. */
export function definePdu<Name extends CommandName, Fields extends AnyFields>(
  name: Name,
  fieldList: Fields,
  readFast?: (reader: Reader, onDuplicateTlv: () => void) => BodyOf<Fields>,
): PduType<Name, BodyOf<Fields>> {
  const fields = fieldList as unknown as Record<string, Field<unknown>>
  const entries = Object.entries(fields)
  const initial = (): BodyOf<Fields> =>
    ({
      ...Object.fromEntries(entries.map(([key, field]) => [key, field.initial])),
      tlvs: noTlvs,
    }) as BodyOf<Fields>
  return {
    name,
    id: commandId[name],
    fields,
    initial,
    read:
      readFast ??
      ((reader, onDuplicateTlv) => {
        const body: Record<string, unknown> = {}
        for (const [key, field] of entries) body[key] = field.read(reader)
        body['tlvs'] = reader.failure === 0 ? readTlvs(reader, onDuplicateTlv) : noTlvs
        return body as BodyOf<Fields>
      }),
    write(writer, body, withTlvs) {
      const values = body as Record<string, unknown>
      for (const [key, field] of entries) field.write(writer, values[key])
      if (withTlvs) writeTlvs(writer, body.tlvs)
    },
  }
}
