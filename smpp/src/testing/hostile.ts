// Invalid byte streams (conformance: framing rows), and the expected answers.
import { encodeAlone } from '../pdu/encode.ts'
import type { PduBody } from '../pdu/registry.ts'

function header(length: number, id: number, status: number, sequence: number): Buffer {
  const bytes = Buffer.alloc(16)
  for (const [index, value] of [length, id, status, sequence].entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** Streams that cannot be framed: generic_nack 0x02 with this sequence, then the socket closes. */
export const lostStreams: readonly { name: string; bytes: Buffer; sequence: number }[] = [
  ...[0, 4, 15].map((length) => ({
    name: `command_length ${length}`,
    bytes: header(length, 4, 0, 9),
    sequence: 0,
  })),
  ...[0x7fffffff, 0x80000000, 0xffffffff].map((length) => ({
    name: `command_length 0x${length.toString(16)}`,
    bytes: header(length, 4, 0, 9),
    sequence: 9,
  })),
  { name: '513 octets before the bind', bytes: header(513, 4, 0, 77), sequence: 77 },
  {
    name: 'an HTTP request',
    bytes: Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    sequence: Buffer.from('.1\r\n').readUInt32BE(),
  },
  {
    name: 'a TLS ClientHello',
    bytes: Buffer.from('16030100c8010000c40303aabbccddeeff', 'hex'),
    sequence: 0xbbccddee,
  },
  { name: 'an SSH greeting', bytes: Buffer.from('SSH-2.0'), sequence: 0 },
]

/** A well-formed submit_sm whose bytes `spoil` then changes; its command_length is corrected. */
export function spoiltSubmit(
  sequence: number,
  body: Partial<PduBody<'submit_sm'>>,
  spoil: (bytes: Buffer) => Buffer,
): Buffer {
  const whole = { sourceAddr: '100', destAddrTon: 1, destAddrNpi: 1, destinationAddr: '4917012345', ...body }
  const bytes = spoil(Buffer.from(encodeAlone('submit_sm', 0, sequence, whole)))
  bytes.writeUInt32BE(bytes.length, 0)
  return bytes
}

export { header as rawHeader }
