// The versions of PostgreSQL that a server of one's own may have, beside the embedded one: the embedded database moves
// there, and the gateway goes on storing, pricing and reading.
import { expect, test } from 'vitest'
import type { SmsRecord } from '@tollgate/contract/records/records.ts'
import { eventually } from '../test/environment/eventually.ts'
import { freePort } from '../test/environment/free-port.ts'
import {
  runCommand,
  signedIn,
  startProgram,
  temporaryFolder,
  type Program,
} from '../test/environment/program.ts'
import type { Call } from '../test/http/operator.ts'
import { makeClient, makeSupplier } from '../test/http/operator.ts'
import { startOlderPostgres } from '../test/stand-ins/older-postgres.ts'

const admin = { ADMIN_USERNAME: 'admin', ADMIN_PASSWORD: 'correct horse battery' }
const number = '449098790142'
const smppPort = String(await freePort())
const dataDir = await temporaryFolder()

const start = (more: Readonly<Record<string, string>> = {}) =>
  startProgram('main', { DATA_DIR: dataDir, SMPP_PORT: smppPort, ...admin, ...more })

const signIn = async (program: Program): Promise<Call> => {
  await program.ready
  return signedIn(program, admin.ADMIN_USERNAME, admin.ADMIN_PASSWORD)
}

async function stop(program: Program): Promise<void> {
  program.kill('SIGTERM')
  expect((await program.exited).code).toBe(0)
}

const embedded = await start()
const call = await signIn(embedded)
const clientId = await makeClient(call, 'client1')
const { systemId, password } = await makeSupplier(call)
const { id } = await call<{ id: string }>('POST', '/api/premium-numbers', { number, rate: '1.50' })
await call('PUT', `/api/number-inventory/${id}/assign`, { userId: clientId })

async function send(sender: string): Promise<void> {
  const flags = ['--port', smppPort, '--from', sender, '--to', number, '--text', 'ping']
  const { stderr } = await runCommand('send', flags, { SMPP_SYSTEM_ID: systemId, SMPP_PASSWORD: password })
  expect(stderr).toBe('')
}

const listed = async (caller: Call) =>
  (await caller<SmsRecord[]>('GET', `/api/records?search=${number}`)).map(({ sender, client, amountUsd }) => [
    sender,
    client,
    amountUsd,
  ])

await send('447700900318')
const [[, , amountUsd] = []] = await listed(call)
await stop(embedded)

test.each([15, 16, 17])(
  'PostgreSQL %i takes the embedded database, and stores, prices and finds what comes then',
  async (major) => {
    expect(Number(amountUsd)).toBeGreaterThan(0)
    const url = await startOlderPostgres(major, await temporaryFolder())
    expect(await runCommand('move-to', [url], { DATA_DIR: dataDir })).toMatchObject({ code: 0, stderr: '' })

    const program = await start({ DATABASE_URL: url })
    const caller = await signIn(program)
    await send('447700900319')
    await eventually(async () =>
      expect(await listed(caller)).toEqual([
        ['447700900319', 'client1', amountUsd],
        ['447700900318', 'client1', amountUsd],
      ]),
    )
    await stop(program)
    expect(program.stderr()).toBe('')
  },
)
