// What peers see during faults: the database is away, a node stops, a certificate changes.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { connect } from '@tollgate/smpp/net/client.ts'
import { firstCertificate, secondCertificate } from '@tollgate/smpp/testing/certificates.ts'
import type { Peer } from '@tollgate/smpp/testing/peer.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { openTestGateway, password } from '../../test/traffic/gateway.ts'
import { openDatabase, row, rows } from '../platform/db.ts'
import { temporaryFolder } from '../../test/environment/temporary-folder.ts'
import { sql } from 'kysely'

const folder = await temporaryFolder()
const certPath = join(folder, 'cert.pem')
const keyPath = join(folder, 'key.pem')
const installCertificate = async ({ cert, key }: { cert: string; key: string }) => {
  await writeFile(certPath, cert)
  await writeFile(keyPath, key)
}
await installCertificate(firstCertificate)
const environment = await openTestGateway({ tls: { port: 0, certPath, keyPath } })
const { node } = environment
const account = await environment.account({ maxConnections: 50 })

/** Keeps submitting, ten at a time, until it is stopped. Returns every acknowledged id. */
function stream(peer: Peer, digits: string) {
  const promised: string[] = []
  const statuses = new Map<number, number>()
  let isWanted = true
  const run = async () => {
    for (let sequence = 1; isWanted && !peer.isClosed;) {
      const first = sequence
      for (; sequence < first + 10; sequence += 1) {
        peer.send('submit_sm', sequence, {
          sourceAddr: '1',
          destAddrTon: 1,
          destAddrNpi: 1,
          destinationAddr: digits,
        })
      }
      for (let open = 10; open > 0;) {
        const answer = await peer.next().catch(() => undefined)
        if (answer === undefined) return
        if (answer.command !== 'submit_sm_resp') {
          if (answer.command === 'unbind') {
            isWanted = false
            unbind = answer.sequence
          }
          continue
        }
        open -= 1
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        if (answer.status === 0) promised.push((answer.body as { messageId: string }).messageId)
      }
      await sleep(5)
    }
  }
  let unbind: number | undefined
  const ended = run()
  return {
    promised,
    statuses,
    get unbind() {
      return unbind
    },
    async stop() {
      isWanted = false
      await ended
    },
  }
}

async function withoutDatabase(work: () => Promise<void>): Promise<void> {
  const { host, database } = environment.address
  const admin = openDatabase({ address: { host, database: 'postgres' }, maxConnections: 1 })
  try {
    await admin.pool.query(`alter database ${database} allow_connections false`)
    await admin.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
    )
    await work()
  } finally {
    await admin.pool.query(`alter database ${database} allow_connections true`)
    await admin.close()
  }
}

async function refusedAsUnavailable(gateway: string): Promise<number> {
  const found = await row<{ count: number }>(
    environment.db,
    sql`select coalesce(sum(refused_count), 0)::int as count from refusal_hours r
        join gateways g on g.id = r.gateway_id where g.name = ${gateway} and reason = 'unavailable'`,
  )
  return found?.count ?? 0
}

test('while the database is away submits are 0x14, binds 0x08, and no success is without its row', async () => {
  const digits = await environment.number()
  const peer = await node.bound(account)
  const idle = await node.bound(account)
  const traffic = stream(peer, digits)
  const promisedCount = () => traffic.promised.length
  await expect.poll(promisedCount).toBeGreaterThan(20)
  await withoutDatabase(async () => {
    const startedMs = performance.now()
    const { status } = await node.tryBind(account.systemId)
    expect(status).toBe(0x08)
    // A bind waits 2 s for the database.
    expect(performance.now() - startedMs).toBeLessThan(20_000)
    idle.send('enquire_link', 5)
    expect(await idle.next()).toMatchObject({ command: 'enquire_link_resp' })
    await expect.poll(() => traffic.statuses.get(0x14)).toBeGreaterThan(0)
  })
  // The gateway recovers by itself.
  await expect.poll(async () => (await node.tryBind(account.systemId)).status, { interval: 300 }).toBe(0)
  const promisedBefore = promisedCount()
  await expect.poll(promisedCount).toBeGreaterThan(promisedBefore)
  await traffic.stop()
  expect(new Set(traffic.promised).size).toBe(traffic.promised.length)
  const stored = (await environment.recordsTo(digits)).length
  // A row may exist although its answer was an error: its commit was running. An acknowledged id without a row is forbidden.
  expect(stored).toBeGreaterThanOrEqual(traffic.promised.length)
  expect(stored - traffic.promised.length).toBeLessThan(20)
  // Nothing is refused without a trace, not even while nothing can be stored.
  await expect.poll(() => refusedAsUnavailable(account.systemId)).toBe(traffic.statuses.get(0x14))
  expect(peer.isClosed).toBe(false)
  peer.destroy()
  idle.destroy()
})

test('a stop answers messages in flight, unbinds, waits for the answer and deletes the binds', async () => {
  // A stop waits up to 8 s for peers that do not answer the unbind; a pause of the machine spoils one try or the other.
  await eventually(async () => {
    const supplier = await environment.account()
    const digits = await environment.number()
    const other = await environment.anotherNode()
    const peers = await Promise.all(Array.from({ length: 4 }, () => other.bound(supplier)))
    const traffics = peers.map((peer) => stream(peer, digits))
    const promisedCount = () => traffics.reduce((sum, traffic) => sum + traffic.promised.length, 0)
    await expect.poll(promisedCount).toBeGreaterThan(40)
    const stopped = other.gateway.stop()
    await expect.poll(() => traffics.every(({ unbind }) => unbind !== undefined)).toBe(true)
    for (const [place, peer] of peers.entries()) peer.send('unbind_resp', traffics[place]?.unbind ?? 0)
    const startedMs = performance.now()
    await stopped
    const tookMs = performance.now() - startedMs
    await Promise.all(traffics.map((traffic) => traffic.stop()))
    expect(await environment.recordsTo(digits)).toHaveLength(promisedCount())
    expect(await rows(environment.db, sql`select from binds where user_id = ${supplier.userId}`)).toEqual([])
    await expect(other.tryBind(supplier.systemId)).rejects.toThrow('ECONNREFUSED')
    expect(tookMs).toBeLessThan(7_500)
  })
})

test('peers bind over TLS, and a replaced certificate is used without a restart', async () => {
  const port = node.gateway.ports?.tls ?? 0
  const bind = (ca: string) =>
    connect({
      host: '127.0.0.1',
      port,
      mode: 'transmitter',
      systemId: account.systemId,
      password,
      tls: { ca },
    })
  const early = await bind(firstCertificate.cert)
  expect(early.kind).toBe('bound')
  // A key that does not belong to the certificate is not used.
  await writeFile(certPath, secondCertificate.cert)
  await sleep(600)
  const still = await bind(firstCertificate.cert)
  expect(still.kind).toBe('bound')
  await installCertificate(secondCertificate)
  await expect.poll(async () => (await bind(secondCertificate.cert)).kind, { interval: 100 }).toBe('bound')
  if (early.kind !== 'bound') throw new Error('not bound')
  const sent = await early.session.send('submit_sm', {
    destAddrTon: 1,
    destAddrNpi: 1,
    destinationAddr: await environment.number(),
  })
  expect(sent).toMatchObject({ kind: 'answered', status: 0 })
  await early.session.unbind()
})
