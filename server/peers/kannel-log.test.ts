import { expect, test } from 'vitest'
import { KannelLog, seenOf, textOf, type LoggedPdu } from './kannel-log.ts'

/** Lines of bearerbox 1.4.5. Thread 9 writes in the middle of the dump of thread 6. */
const lines = `[6] SMPP[tollgate]: Got PDU:
[6] SMPP PDU 0x7fcf dump:
[6]   type_name: deliver_sm
[6]   source_addr_ton: 2 = 0x00000002
[9] send_msg: sending msg to box: <127.0.0.1>
[6]   source_addr: "7700900318"
[6]   esm_class: 64 = 0x00000040
[6]   data_coding: 0 = 0x00000000
[6]   service_type: NULL
[6]   short_message:
[6]    Octet string at 0x7fcf:
[6]      len:  18
[6]      data: 05 00 03 2a 03 01 1b 65 62 63 64 65 66 67 68 69   ...*...ebcdefghi
[6]      data: 6a 61                                             ja
[6]    Octet string dump ends.
[6] SMPP PDU dump ends.
[6] SMPP[tollgate]: Sending PDU:
[6]   type_name: submit_sm
[6]   short_message: "say "hi": 5 = 0x5"
[6] SMPP PDU dump ends.`
  .split('\n')
  .map((line) => line.replace(/^\[(\d)\]/, '2026-11-24 15:22:23 [8599] [$1] DEBUG:'))

test('the fields and octets of each PDU are read from the log of Kannel', () => {
  const pdus: LoggedPdu[] = []
  const log = new KannelLog((pdu) => pdus.push(pdu))
  for (const line of lines) log.hear(line)
  const [got, sent] = pdus as [LoggedPdu, LoggedPdu]
  expect(pdus).toHaveLength(2)
  expect([got.way, got.name, textOf(got, 'service_type')]).toEqual(['Got', 'deliver_sm', ''])
  expect(seenOf(got)).toEqual({
    source: '7700900318',
    sourceTon: 2,
    coding: 0,
    esmClass: 0x40,
    hex: '0500032a03011b6562636465666768696a61',
  })
  expect([sent.way, textOf(sent, 'short_message')]).toEqual(['Sending', 'say "hi": 5 = 0x5'])
})
