// The kinds of mandatory fields. A PDU is a list of them, in the order of the wire.
import { commandStatus } from '../values/command-status.ts'
import { empty, type Reader } from '../wire/reader.ts'
import type { Writer } from '../wire/writer.ts'

const tooShort = commandStatus.ESME_RINVCMDLEN

/** The layout of a field, for code that goes through the registry (tests, flight recorders). */
export type FieldShape =
  | { kind: 'c-octet'; octetsMax: number }
  | { kind: 'integer'; octets: 1 | 4 }
  | { kind: 'octets'; octetsMax: number }
  | { kind: 'destinations' }
  | { kind: 'failures' }

export interface Field<T> {
  readonly shape: FieldShape
  /** The value when the field is absent, as in a header-only response. */
  readonly initial: T
  read(reader: Reader): T
  write(writer: Writer, value: T): void
}

/**
 * A C-octet string (§3.1): `octetsMax` counts its NUL; `tooLongStatus` answers a longer one. Lenient reading takes up to
 * `lenientMax`.
 */
export function cOctet(
  octetsMax: number,
  tooLongStatus: number = commandStatus.ESME_RINVPARLEN,
  lenientMax = octetsMax,
): Field<string> {
  return {
    shape: { kind: 'c-octet', octetsMax },
    initial: '',
    read: (reader) => reader.cOctetString(reader.isLenient ? lenientMax : octetsMax, tooShort, tooLongStatus),
    write: (writer, value) => writer.cOctetString(value, octetsMax),
  }
}

/** service_type (§5.2.11). Some SMSCs name a service of their own in more than its 5 characters. */
export const serviceType = (): Field<string> =>
  cOctet(serviceTypeOctetsMax, commandStatus.ESME_RINVSERTYP, lenientServiceTypeOctetsMax)
export const serviceTypeOctetsMax = 6
export const lenientServiceTypeOctetsMax = 22

/** An unsigned integer of one octet, or of four (IPv4-sized error codes). */
export function integer(octets: 1 | 4 = 1): Field<number> {
  return {
    shape: { kind: 'integer', octets },
    initial: 0,
    read: (reader) => reader.integer(octets, tooShort),
    write: (writer, value) => writer.integer(octets, value),
  }
}

/** sm_length and short_message as one field (§5.2.21, §5.2.22): at most 254 octets, else 0x01. */
export function shortMessage(): Field<Buffer> {
  return {
    shape: { kind: 'octets', octetsMax: smOctetsMax },
    initial: empty,
    read: readShortMessage,
    write(writer, value) {
      if (value.length > smOctetsMax)
        writer.fail(`a short message of ${value.length} octets, at most 254 fit`)
      writer.integer(1, value.length & 0xff)
      writer.octets(value)
    },
  }
}

export const smOctetsMax = 254

/** Reads sm_length and as many octets. */
export function readShortMessage(reader: Reader): Buffer {
  const length = reader.octet(tooShort)
  if (length > smOctetsMax) {
    reader.fail(commandStatus.ESME_RINVMSGLEN, 'sm_length 255; a message holds at most 254 octets')
    return empty
  }
  return reader.octets(length, commandStatus.ESME_RINVMSGLEN)
}
