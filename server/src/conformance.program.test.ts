// `npm run conformance` as people run it, the built program: against our own gateway, and against one that misbehaves.
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { conformanceRows, type RowResult } from '@tollgate/smpp/conformance/run-rows.ts'
import { firstCertificate } from '@tollgate/smpp/testing/certificates.ts'
import { freePort } from '../test/environment/free-port.ts'
import { openTestGateway, password } from '../test/traffic/gateway.ts'
import { runCommand, temporaryFolder } from '../test/environment/program.ts'
import { openSmsc } from '../test/stand-ins/smsc.ts'

const folder = await temporaryFolder()
const [certPath, keyPath] = [join(folder, 'gate.crt'), join(folder, 'gate.key')]
await writeFile(certPath, firstCertificate.cert)
await writeFile(keyPath, firstCertificate.key)
const environment = await openTestGateway({
  settings: { pduReadMs: 3_000 },
  tls: { port: 0, certPath, keyPath },
})
const to = await environment.number()
const { systemId } = await environment.account({ maxConnections: 5 })

const run = (port: number, args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand('conformance', [`127.0.0.1:${port}`, '--system-id', systemId, ...args], {
    SMPP_PASSWORD: password,
    ...environment,
  })

interface Report {
  readonly passed: number
  readonly failed: number
  readonly notApplicable: number
  readonly rows: readonly RowResult[]
}

/** The report of a run with --json, with the exit status. */
async function report(port: number, args: readonly string[], environment?: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await run(port, ['--to', to, '--json', ...args], environment)
  expect(stderr).toBe('')
  return { code, ...(JSON.parse(stdout) as Report) }
}

const failuresOf = ({ rows }: Report) =>
  rows.flatMap(({ result, number, detail }) => (result === 'failed' ? [`${number}: ${detail}`] : []))

// 28 and 32 are slow: the tests that docs/smpp-conformance.md names cover them on a clock of their own.
const notApplicable = [10, 23, 24, 27, 28, 32, 33, 36, 60, 61, 62, 65, 66, 67, 68]

test('our gateway passes every row that can be checked from outside, and no other counts as passed', async () => {
  const found = await report(environment.node.port, [])
  expect(failuresOf(found)).toEqual([])
  const withResult = (result: string) => found.rows.filter((row) => row.result === result)
  expect(withResult('not applicable').map(({ number }) => number)).toEqual(notApplicable)
  expect(withResult('passed')).toHaveLength(68 - notApplicable.length)
  const { code, passed, failed } = found
  expect([code, passed, failed, found.notApplicable]).toEqual([0, 53, 0, 15])
})

test('over TLS the versions are checked too, by a certificate that is trusted, or by any if that is asked for', async () => {
  const port = environment.node.gateway.ports?.tls ?? 0
  const rows = ['--tls', '--rows', '11,18,37,67']
  const authority = { NODE_EXTRA_CA_CERTS: certPath }
  const resultsOf = ({ rows: found }: Report) => found.map(({ number, result }) => [number, result])
  const allPassed = [
    [11, 'not applicable'],
    [18, 'passed'],
    [37, 'passed'],
    [67, 'passed'],
  ]
  const [trusted, insecure, untrusted, foreign] = await Promise.all([
    report(port, rows, authority),
    report(port, [...rows, '--tls-insecure']),
    report(port, rows),
    report(port, [...rows, '--tls-name', 'gate.example.org'], authority),
  ])
  expect(resultsOf(trusted)).toEqual(allPassed)
  expect(resultsOf(insecure)).toEqual(allPassed)
  expect([trusted.code, insecure.code, untrusted.code, foreign.code]).toEqual([0, 0, 1, 1])
  expect(failuresOf(untrusted)[0]).toMatch(/^18: no connection: .*self-signed certificate/)
  expect(failuresOf(foreign)[0]).toMatch(/^18: no connection: .*gate\.example\.org/)
})

test('each row that an SMSC breaks is a line with what it did instead, and the status is 1', async () => {
  const smsc = await openSmsc()
  smsc.answeringTo.set(to, 'with another command')
  const { code, stdout, stderr } = await run(smsc.port, ['--to', to, '--rows', '18,21,23,37'])
  const { reason } = conformanceRows.find(({ number }) => number === 23) ?? {}
  expect([code, stderr]).toEqual([1, ''])
  expect(stdout.split('\n')).toEqual([
    '18  passed          The three kinds of bind',
    '21  failed          A wrong password: answered 0x00 instead of 0x0D or 0x0E (expected: 0x0E (or 0x0D), then the socket closes)',
    `23  not applicable  An account without access: ${reason}`,
    '37  failed          The smallest submit_sm: smallest: answered by data_sm_resp (expected: 0 with a message_id of 1 to 64 characters)',
    '1 passed, 2 failed, 1 not applicable.',
    '',
  ])
})

test('an SMSC that refuses the bind, or is not there, fails every row', async () => {
  const smsc = await openSmsc()
  smsc.behaviour = 'wrong-password'
  const refused = await report(smsc.port, ['--rows', '18,37'])
  expect([refused.code, ...failuresOf(refused)]).toEqual([
    1,
    '18: bind_transmitter is refused with 0x0E',
    '37: the bind as transceiver was refused: Invalid password (0x0E)',
  ])
  const absent = await report(await freePort(), ['--rows', '37'])
  expect([absent.code, ...failuresOf(absent)]).toEqual([
    1,
    expect.stringMatching(/^37: no connection: .*ECONNREFUSED/),
  ])
})

test.each([
  ['no number', [], /^Missing: --to/],
  ['a row that is none', ['--to', '1', '--rows', '69'], /^--rows takes numbers from 1 to 68/],
  ['an unknown option', ['--to', '1', '--fast'], /--fast/],
])('%s on the command line is answered with the usage, and nothing is sent', async (_, args, words) => {
  const { code, stdout, stderr } = await run(environment.node.port, args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(words)
  expect(stderr).toContain('Usage: npm run conformance')
})

test('the rows are those of the document, and each has a check or a reason', () => {
  const page = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/smpp-conformance.md'), 'utf8')
  const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number))
  expect(conformanceRows.map(({ number }) => number)).toEqual(documented)
  expect(conformanceRows.filter(({ check, reason }) => check === undefined && (reason ?? '') === '')).toEqual(
    [],
  )
})
