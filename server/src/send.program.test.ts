// `npm run send`, the built program, against an SMSC that answers as the test says.
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '@tollgate/smpp/net/server.ts'
import { freePort } from '../test/environment/free-port.ts'
import { runCommand } from '../test/environment/program.ts'
import { openSmsc } from '../test/stand-ins/smsc.ts'

const to = '449098790142'
const long = 'abcdefghij'.repeat(40)

const send = (port: number, text: string) =>
  runCommand('send', ['--port', String(port), '--from', 'Shop', '--to', to, '--text', text], {
    SMPP_SYSTEM_ID: 'shop',
    SMPP_PASSWORD: 'secret08',
  })

test('a long text leaves in segments, and each answer is printed', async () => {
  const smsc = await openSmsc()
  smsc.messageIds.push('id-1', 'id-2', 'id-3')
  const { code, stdout, stderr } = await send(smsc.port, long)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.split('\n')).toEqual([
    `Connecting to 127.0.0.1:${smsc.port} as shop …`,
    'Bound to standin.',
    ...[1, 2, 3].map((at) => `submit_sm ${at} of 3: accepted (0x00), message id id-${at}.`),
    'Unbound.',
    '',
  ])
  expect(smsc.submits).toHaveLength(3)
  expect(smsc.submits[0]).toMatchObject({
    source_addr: 'Shop',
    source_addr_ton: 5,
    destination_addr: to,
    dest_addr_ton: 1,
  })
  expect(smsc.unbindCount).toBe(1)
})

test('a segment that the SMSC is too busy for leaves again', async () => {
  const smsc = await openSmsc()
  smsc.scripted.push('well', 'full', 'well')
  const { code, stderr } = await send(smsc.port, long)
  expect([code, stderr, smsc.submits.length]).toEqual([0, '', 4])
})

test('of a text with a refused segment each answer is printed, and the exit status is 1', async () => {
  let count = 0
  const server = await startServer<string>({
    host: '127.0.0.1',
    port: 0,
    handlers: {
      onBind: () => ({ accept: true, account: 'shop', systemId: 'strict' }),
      onRequest: (session, request) =>
        void ((count += 1) === 2
          ? session.respond(request, 0x0b)
          : session.respond(request, 0, `id-${count}`)),
    },
  })
  onTestFinished(() => server.stop(100))
  const { code, stdout, stderr } = await send(server.port, long)
  expect([code, stderr]).toEqual([1, 'submit_sm 2 of 3: refused, Invalid destination address (0x0B).\n'])
  expect(stdout.match(/^submit_sm .*$/gm)).toEqual([
    'submit_sm 1 of 3: accepted (0x00), message id id-1.',
    'submit_sm 3 of 3: accepted (0x00), message id id-3.',
  ])
})

test.each([
  ['a wrong password', 'wrong-password', /^Bind refused: Invalid password \(0x0E\)\.$/m],
  ['no SMPP on the port', 'garbage', /^Not connected: /m],
] as const)('%s is said in one line, and nothing is sent', async (_, behaviour, words) => {
  const smsc = await openSmsc()
  smsc.behaviour = behaviour
  const { code, stderr } = await send(smsc.port, 'hello')
  expect([code, smsc.submits]).toEqual([1, []])
  expect(stderr).toMatch(words)
})

test('a text that no header can number is refused, and a gateway that is not there is named', async () => {
  const smsc = await openSmsc()
  const tooLong = await send(smsc.port, 'x'.repeat(40_000))
  expect([tooLong.code, tooLong.stderr]).toEqual([1, 'The text is too long: at most 255 segments fit.\n'])
  const absent = await send(await freePort(), 'hello')
  expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('Does the gateway run')])
})
