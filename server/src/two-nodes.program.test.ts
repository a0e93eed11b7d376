// Two gateways on one PostgreSQL, and the one at work is killed: the other takes over within 15 s, and what was acknowledged is there once.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openTestDatabase, waitersFor } from '../test/environment/database.ts'
import { expectInTime } from '../test/environment/in-time.ts'
import { onTestDatabase, signedIn, startProgram, type Program } from '../test/environment/program.ts'
import { openStandIn } from '../test/stand-ins/provider.ts'
import { openReceiver } from '../test/stand-ins/receiver.ts'
import { openSmsc } from '../test/stand-ins/smsc.ts'
import { row, rows, type Db } from './platform/db.ts'
import { transaction } from './platform/transaction.ts'

const takeoverMaxMs = 15_000
const patienceMs = 300_000
const number = '449098790142'
const admin = { username: 'admin', password: 'correct horse battery' }

/** A database of its own for each test, and what starts a node on it. */
async function onNewDatabase() {
  const { db, address } = await openTestDatabase()
  const start = async (more: Readonly<Record<string, string>> = {}) =>
    startProgram('main', {
      ...(await onTestDatabase(address.database, inject('postgresHost'), admin)),
      ...more,
    })
  return { db, start }
}

/** Two nodes at work on a database of their own. They end with the test. */
async function twoNodes() {
  const { db, start } = await onNewDatabase()
  const nodes = [await start(), await start()] as const
  onTestFinished(async () => {
    // A frozen node hears no other signal.
    for (const node of nodes) node.kill('SIGKILL')
    await Promise.all(nodes.map(({ exited }) => exited))
  })
  await Promise.all(nodes.map(({ ready }) => ready))
  return { db, nodes, call: await adminOf(nodes[0]) }
}

const adminOf = (node: Program) => signedIn(node, admin.username, admin.password)

// A node shows itself as host:pid, and names itself among the owners of leases as machine|pid|run.
const pidOf = (name: string) => Number(/[:|](\d+)(\||$)/.exec(name)?.[1] ?? 0)

/** How the node behind `call` shows the connection of this name. */
async function shown(call: Awaited<ReturnType<typeof adminOf>>, name: string) {
  const links = await call<{ name: string; status: string; node: string }[]>('GET', '/api/smpp-connections')
  return links.find((link) => link.name === name)
}

const leaseOwner = async (db: Db, name: string) =>
  (await row<{ owner: string }>(db, sql`select owner from leases where name = ${name}`))?.owner ?? ''

const boundBy = ({ pid }: Program) => ({
  status: 'connected',
  node: expect.stringMatching(new RegExp(`:${pid}$`)),
})

/** Kills the node whose process id this is, as a power cut would; gives the one that is left. */
function kill(nodes: readonly Program[], pid: number): Program {
  const killed = nodes.find((node) => node.pid === pid)
  const left = nodes.find((node) => node.pid !== pid)
  if (killed === undefined || left === undefined) throw new Error(`No node has process id ${pid}`)
  killed.kill('SIGKILL')
  return left
}

test(
  "a killed node's connection is bound by the other within 15 s; nothing acknowledged is lost or doubled",
  () =>
    expectInTime(takeoverMaxMs, async () => {
      const { db, nodes, call } = await twoNodes()
      const smsc = await openSmsc()
      await call('POST', '/api/premium-numbers', { number })
      await call('POST', '/api/smpp-connections', {
        name: 'outside',
        host: '127.0.0.1',
        port: smsc.port,
        systemId: 'tollgate',
        password: 'p',
      })
      await expect.poll(async () => (await shown(call, 'outside'))?.status).toBe('connected')
      const owner = pidOf((await shown(call, 'outside'))?.node ?? '')

      // As an SMSC does: the next one when the last was taken, and again whatever got no answer.
      const tries = new Map<string, number>()
      const taken = new Set<string>()
      let isOver = false
      const sending = (async () => {
        for (let made = 100_000; !isOver; made += 1)
          for (const sender = `4477009${made}`; !taken.has(sender) && !isOver;) {
            if (smsc.sessions.size === 0) {
              await sleep(20)
              continue
            }
            tries.set(sender, (tries.get(sender) ?? 0) + 1)
            const answer = smsc.deliver({
              source_addr: sender,
              destination_addr: number,
              short_message: `from ${sender}`,
            })
            if ((await Promise.race([answer, sleep(2_000)])) === 0) taken.add(sender)
          }
      })()
      await expect.poll(() => taken.size).toBeGreaterThan(100)
      const bindsBefore = smsc.binds.length
      const killedAtMs = Date.now()
      const left = kill(nodes, owner)
      await expect.poll(() => smsc.binds.length).toBeGreaterThan(bindsBefore)
      const tookMs = (smsc.binds[bindsBefore]?.atMs ?? Infinity) - killedAtMs
      const takenBefore = taken.size
      await expect.poll(() => taken.size).toBeGreaterThan(takenBefore + 100)
      isOver = true
      await sending
      const callLeft = await adminOf(left)
      await expect.poll(async () => await shown(callLeft, 'outside')).toMatchObject(boundBy(left))

      const stored = new Map(
        (
          await rows<{ sender: string; count: number }>(
            db,
            sql`select sender, count(*)::int as count from records group by sender`,
          )
        ).map(({ sender, count }) => [sender, count]),
      )
      expect([...taken].filter((sender) => !stored.has(sender))).toEqual([])
      // Only what the SMSC itself sent again, having had no answer, may be there again.
      expect([...stored].filter(([sender, count]) => count > (tries.get(sender) ?? 0))).toEqual([])
      expect([...taken].filter((sender) => tries.get(sender) === 1 && stored.get(sender) !== 1)).toEqual([])
      expect([...tries.values()].filter((count) => count > 1).length).toBeLessThanOrEqual(3)
      return tookMs
    }),
  patienceMs,
)

test(
  'when the node that sends webhooks is killed, the other goes on: each record arrives, under one id',
  () =>
    expectInTime(takeoverMaxMs, async () => {
      const { db, nodes, call } = await twoNodes()
      const receiver = await openReceiver()
      await call('POST', '/api/premium-numbers', { number })
      await call('POST', '/api/endpoints', { name: 'CRM', endpoint: receiver.url })
      await expect
        .poll(async () => nodes.map(({ pid }) => pid).includes(pidOf(await leaseOwner(db, 'endpoints'))))
        .toBe(true)
      const smsc = await openSmsc()
      await call('POST', '/api/smpp-connections', { name: 'second', host: '127.0.0.1', port: smsc.port })
      await expect.poll(() => smsc.sessions.size).toBe(1)
      const sent: string[] = []
      const deliver = async (count: number) => {
        for (let made = 0; made < count; made += 1) {
          const sender = `4477008${100_000 + sent.length}`
          const answer = smsc.deliver({
            source_addr: sender,
            destination_addr: number,
            short_message: 'x',
          })
          expect(await Promise.race([answer, sleep(10_000, 'no answer', { ref: false })]), sender).toBe(0)
          sent.push(sender)
        }
      }
      receiver.always('silence')
      await deliver(20)
      // All requests are under way and have no answer when the node dies: what comes after is another node's.
      await receiver.until(sent.length)
      const left = kill(nodes, pidOf(await leaseOwner(db, 'endpoints')))
      const killedAtMs = Date.now()
      const begunBefore = receiver.received.length
      receiver.always({ status: 204 })
      await expect.poll(() => receiver.received.length).toBeGreaterThan(begunBefore)
      const tookMs = (receiver.received[begunBefore]?.atMs ?? Infinity) - killedAtMs
      // The killed one's session may stand for a moment more: nobody answers there.
      const callLeft = await adminOf(left)
      await expect.poll(async () => await shown(callLeft, 'second')).toMatchObject(boundBy(left))
      await deliver(20)
      const after = () => receiver.received.slice(begunBefore)
      const sendersAfter = () => after().map(({ body }) => body.data.sender)
      await expect.poll(() => new Set(sendersAfter()).size).toBe(sent.length)
      // Each arrives once more at most, under the id it had before the kill.
      await sleep(1_000)
      expect(sendersAfter().length).toBe(new Set(sendersAfter()).size)
      const idsOf = (sender: string) =>
        new Set(receiver.received.filter(({ body }) => body.data.sender === sender).map(({ id }) => id))
      expect(sent.filter((sender) => idsOf(sender).size !== 1)).toEqual([])
      return tookMs
    }),
  patienceMs,
)

test(
  'when the node that reads a provider freezes amid its transaction, the other goes on within 15 s; each row is there once',
  () =>
    expectInTime(takeoverMaxMs, async () => {
      const { db, nodes, call } = await twoNodes()
      const provider = await openStandIn()
      provider.rows = Array.from({ length: 50 }, (_, index) => ({
        id: String(index),
        timestamp: new Date(Date.now() - 60_000 + index).toISOString(),
        number,
        sender: String(447700910000 + index),
      }))
      await call('POST', '/api/premium-numbers', { number })
      const source = { name: 'Provider', apiUrl: provider.url, authType: 'bearer', apiKey: 'key' }
      const count = async () =>
        (await row<{ count: number }>(db, sql`select count(*)::int as count from records`))?.count
      let frozen: Program | undefined
      await transaction(db, async (tx) => {
        // Its rows' keys wait for this lock, so that its transaction is open when it freezes.
        await sql`lock table provider_messages in share row exclusive mode`.execute(tx)
        const { id } = await call<{ id: string }>('POST', '/api/providers', {
          ...source,
          pollInterval: 1_000,
        })
        await call('POST', `/api/providers/${id}/start`)
        await expect.poll(() => waitersFor(db, 'provider_messages')).toBe(1)
        const owner = pidOf(await leaseOwner(db, `provider:${id}`))
        frozen = nodes.find(({ pid }) => pid === owner)
        frozen?.kill('SIGSTOP')
      })
      const frozenAtMs = Date.now()
      expect(frozen).toBeDefined()
      expect(await count()).toBe(0)
      await expect.poll(count).toBe(50)
      const tookMs = Date.now() - frozenAtMs
      // Back, it must find that all of it is another node's by now.
      frozen?.kill('SIGCONT')
      await sleep(3_000)
      expect(await count()).toBe(50)
      for (const node of nodes) node.kill('SIGTERM')
      const outcomes = await Promise.all(nodes.map(({ exited }) => exited))
      expect(outcomes.map(({ code }) => code)).toEqual([0, 0])
      return tookMs
    }),
  patienceMs,
)

test('a node with another key does not start beside the others, and says so in one line', async () => {
  const { start } = await onNewDatabase()
  const first = await start()
  await first.ready
  const node = await start({ SECRET_KEY: 'a key of another gateway' })
  expect(await node.exited).toEqual({ code: 1, signal: null })
  expect(node.stderr()).toMatch(/^SECRET_KEY is not the key that this database was encrypted with\. .*\.\n$/)
})
