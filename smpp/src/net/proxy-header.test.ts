import { expect, test } from 'vitest'
import { proxyHeaderOctetsMax, readProxyHeader } from './proxy-header.ts'

const v1 = (text: string) => Buffer.from(text, 'latin1')
const v2 = (hex: string) => Buffer.from(`0d0a0d0a000d0a515549540a${hex.replaceAll(' ', '')}`, 'hex')

// Bytes written by hand from the protocol's specification; the second header has TLVs 0x04 (no-op) and 0x05 (unique id).
const good: [what: string, bytes: Buffer, origin: { address: string; port: number } | undefined][] = [
  ['v1 TCP4', v1('PROXY TCP4 192.0.2.7 198.51.100.1 56324 2775\r\n'), { address: '192.0.2.7', port: 56_324 }],
  [
    'v1 TCP4 at its longest',
    v1('PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n'),
    { address: '255.255.255.255', port: 65_535 },
  ],
  [
    'v1 TCP6, however it is written',
    v1('PROXY TCP6 2001:DB8:0:0:0:0:0:7 ::1 1 2\r\n'),
    { address: '2001:db8::7', port: 1 },
  ],
  [
    'v1 TCP6 of an IPv4 address',
    v1('PROXY TCP6 ::ffff:192.0.2.7 ::1 0 2\r\n'),
    { address: '192.0.2.7', port: 0 },
  ],
  ['v1 UNKNOWN', v1('PROXY UNKNOWN\r\n'), undefined],
  [
    'v1 UNKNOWN at the longest line there is',
    v1(
      'PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n',
    ),
    undefined,
  ],
  ['v2 TCP4', v2('21 11 000c c0000207 c6336401 dc04 0ad7'), { address: '192.0.2.7', port: 56_324 }],
  [
    'v2 TCP4 with parameters',
    v2('21 11 0016 c0000207 c6336401 dc04 0ad7 04 0001 00 05 0003 414243'),
    { address: '192.0.2.7', port: 56_324 },
  ],
  [
    'v2 TCP6',
    v2('21 21 0024 20010db8000000000000000000000007 00000000000000000000000000000001 dc04 0ad7'),
    { address: '2001:db8::7', port: 56_324 },
  ],
  ['v2 LOCAL', v2('20 00 0000'), undefined],
  ['v2 LOCAL with an address that is to be ignored', v2('20 11 000c c0000207 c6336401 dc04 0ad7'), undefined],
  ['v2 PROXY of no known family', v2('21 00 0003 040000'), undefined],
  ['v2 of a Unix socket', v2(`21 31 00d8 ${'00'.repeat(216)}`), undefined],
  ['v2 at its longest', v2(`20 00 1000 ${'00'.repeat(4_096)}`), undefined],
]

test.each(good)('%s gives the origin, wherever it is cut, and leaves what follows', (_, bytes, origin) => {
  for (let cut = 0; cut < bytes.length; cut += 1)
    expect(readProxyHeader(bytes.subarray(0, cut)).kind).toBe('partial')
  const followed = Buffer.concat([bytes, Buffer.from('000000100000001500000000', 'hex')])
  for (const whole of [bytes, followed])
    expect(readProxyHeader(whole)).toEqual({ kind: 'header', octets: bytes.length, origin })
})

test.each<[what: string, bytes: Buffer]>([
  ['an SMPP bind', Buffer.from('0000002f000000090000000000000001', 'hex')],
  ['a TLS ClientHello', Buffer.from('16030100c8', 'hex')],
  ['another signature', Buffer.from('0d0a0d0a000d0a515549540b', 'hex')],
  ['lower case', v1('proxy TCP4 192.0.2.7 198.51.100.1 1 2\r\n')],
  ['no line end', v1(`PROXY UNKNOWN ${'x'.repeat(100)}`)],
  ['a line end at octet 108', v1(`PROXY UNKNOWN ${'x'.repeat(92)}\r\n`)],
  ['another family', v1('PROXY UDP4 192.0.2.7 198.51.100.1 1 2\r\n')],
  ['an IPv6 address as TCP4', v1('PROXY TCP4 ::1 ::1 1 2\r\n')],
  ['an IPv4 address as TCP6', v1('PROXY TCP6 192.0.2.7 192.0.2.7 1 2\r\n')],
  ['a zone', v1('PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n')],
  ['a port above 65535', v1('PROXY TCP4 192.0.2.7 198.51.100.1 65536 2\r\n')],
  ['a port with a zero before it', v1('PROXY TCP4 192.0.2.7 198.51.100.1 01 2\r\n')],
  ['no port', v1('PROXY TCP4 192.0.2.7 198.51.100.1\r\n')],
  ['two spaces', v1('PROXY TCP4  192.0.2.7 198.51.100.1 1 2\r\n')],
  ['one word more', v1('PROXY TCP4 192.0.2.7 198.51.100.1 1 2 3\r\n')],
  ['a line end inside', v1('PROXY TCP4 192.0.2.7 198.51.100.1 1\n 2\r\n')],
  ['nothing', v1('PROXY \r\n')],
  ['version 1 in binary', v2('11 11 000c c0000207 c6336401 dc04 0ad7')],
  ['version 3', v2('31 11 000c c0000207 c6336401 dc04 0ad7')],
  ['another command', v2('22 11 000c c0000207 c6336401 dc04 0ad7')],
  ['a datagram', v2('21 12 000c c0000207 c6336401 dc04 0ad7')],
  ['a stream of no transport', v2('21 10 000c c0000207 c6336401 dc04 0ad7')],
  ['a family nobody knows', v2('21 41 000c c0000207 c6336401 dc04 0ad7')],
  ['too short for IPv4', v2('21 11 000b c0000207 c6336401 dc04 0a')],
  ['too short for IPv6', v2(`21 21 0023 ${'00'.repeat(35)}`)],
  ['longer than we take, at its 16th octet', v2('21 11 1001')],
  ['as long as its length can say', v2('21 11 ffff')],
])('%s is no header', (_, bytes) => {
  expect(readProxyHeader(bytes)).toMatchObject({ kind: 'invalid', reason: expect.stringMatching(/\w/) })
})

test('any bytes get a result, more bytes do not change a final result, and no header is longer than the limit', () => {
  let seed = 0x2545_f491
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  const seen = new Set<string>()
  for (let turn = 0; turn < 50_000; turn += 1) {
    const [, bytes = Buffer.alloc(0)] = good[random(good.length)] ?? []
    const spoilt = Buffer.from(bytes)
    for (let spoils = random(4); spoils > 0; spoils -= 1)
      spoilt[random(Math.min(60, spoilt.length))] = random(256)
    const cut = readProxyHeader(spoilt.subarray(0, random(spoilt.length + 1)))
    const whole = readProxyHeader(spoilt)
    if (cut.kind !== 'partial') expect(whole.kind).toBe(cut.kind)
    if (whole.kind === 'header') expect(whole.octets).toBeLessThanOrEqual(proxyHeaderOctetsMax)
    seen.add(whole.kind)
  }
  expect([...seen].toSorted()).toEqual(['header', 'invalid', 'partial'])
})
