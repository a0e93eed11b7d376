import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { encodeAlone } from '@tollgate/smpp/pdu/encode.ts'
import { withManyLoopbacks } from '@tollgate/smpp/testing/loopback.ts'
import { Peer } from '@tollgate/smpp/testing/peer.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { openTestGateway, password } from '../../test/traffic/gateway.ts'
import { row } from '../platform/db.ts'

const environment = await openTestGateway()
const { node, db } = environment

const bindsOf = async (userId: number) =>
  (await row<{ count: number }>(db, sql`select count(*)::int as count from binds where user_id = ${userId}`))
    ?.count

// Failures are counted by address, so each test that causes some has an address of its own.
let addressCount = 1
const newAddress = () => `127.7.0.${(addressCount += 1)}`

test.each(['transmitter', 'receiver', 'transceiver'] as const)(
  'a good bind as %s is accepted',
  async (mode) => {
    const account = await environment.account()
    const { status, peer } = await node.tryBind(account.systemId, { mode })
    expect(status).toBe(0)
    const found = await row<{ bind_type: string }>(
      db,
      sql`select bind_type from binds where user_id = ${account.userId}`,
    )
    expect(found?.bind_type).toBe(mode)
    peer.destroy()
  },
)

test.each([
  [0x33, false],
  [0x34, true],
  [0x50, true],
])(
  'a bind with interface_version %i is accepted, TLV in the answer: %s',
  async (interfaceVersion, hasTlv) => {
    const account = await environment.account()
    const peer = await Peer.connect(node.port)
    peer.send('bind_transceiver', 9, { systemId: account.systemId, password, interfaceVersion })
    const answer = await peer.next()
    expect(answer).toMatchObject({ command: 'bind_transceiver_resp', status: 0, sequence: 9 })
    const tlvs = 'tlvs' in answer.body ? answer.body.tlvs : []
    expect(tlvs.map(({ tag }) => tag)).toEqual(hasTlv ? [tags.scInterfaceVersion.tag] : [])
    peer.destroy()
  },
)

await withManyLoopbacks('refused binds', () => {
  test('a wrong password and an unknown system_id are refused alike with 0x0E, and the socket closes', async () => {
    const account = await environment.account()
    for (const [systemId, given] of [
      [account.systemId, 'wrong'],
      ['nobody', password],
      // §5.2.2: a password has at most eight characters.
      [account.systemId, `${password}9`],
    ] as const) {
      const { status, peer } = await node.tryBind(systemId, { password: given, localAddress: newAddress() })
      expect(status).toBe(0x0e)
      await peer.closed()
    }
    expect(await bindsOf(account.userId)).toBe(0)
  })

  test('a wrong password and an unknown system_id take equally long', async () => {
    const time = async (systemId: string) => {
      const startedMs = performance.now()
      const { peer } = await node.tryBind(systemId, { password: 'wrong', localAddress: newAddress() })
      peer.destroy()
      return performance.now() - startedMs
    }
    const median = (times: number[]) => times.toSorted((a, b) => a - b)[7] ?? 0
    let nobodies = 0
    // A busy machine spoils one try or the other. Without the decoy hash one of the two takes almost nothing, in each.
    await eventually(async () => {
      const wrong: number[] = []
      const unknown: number[] = []
      // A new name each time, because the sixth failure of a name has to wait; many, because one slow answer proves nothing.
      for (let turn = 0; turn < 15; turn += 1) {
        const { systemId } = await environment.account()
        wrong.push(await time(systemId))
        unknown.push(await time(`nobody${(nobodies += 1)}`))
      }
      // 20 ms on a quiet machine; on a busy one both take longer.
      const [one, other] = [median(wrong), median(unknown)]
      expect(Math.abs(one - other)).toBeLessThan(Math.max(20, 0.3 * Math.max(one, other)))
    })
  })
})

test.each([
  ['suspended', { status: 'suspended' }],
  ['inactive', { status: 'inactive' }],
  ['without SMPP access', { smppAccess: false }],
  ['from another address', { allowedCidrs: ['10.0.0.0/8', '::1/128'] }],
  ['whose list cannot be read', { allowedCidrs: ['127.0.0/8'] }],
  ['that is to bind over TLS', { tlsOnly: true }],
])('an account %s is refused with 0x0D', async (_, over) => {
  const account = await environment.account(over)
  const { status, peer } = await node.tryBind(account.systemId)
  expect(status).toBe(0x0d)
  await peer.closed()
  expect(await bindsOf(account.userId)).toBe(0)
})

test('an account that may bind from this network is accepted', async () => {
  const account = await environment.account({ allowedCidrs: ['10.0.0.0/8', '127.0.0.0/8'] })
  ;(await node.bound(account)).destroy()
})

await withManyLoopbacks('refused binds of suspended accounts, fifty binds at once', () => {
  test('a suspended account with a wrong password is refused with 0x0E', async () => {
    const account = await environment.account({ status: 'suspended' })
    const { status } = await node.tryBind(account.systemId, { password: 'wrong', localAddress: newAddress() })
    expect(status).toBe(0x0e)
  })

  test('of fifty binds at once on two nodes exactly as many get in as the account may have', async () => {
    const account = await environment.account({ maxConnections: 7 })
    const other = await environment.anotherNode()
    const attempts = await Promise.all(
      Array.from({ length: 50 }, (_, place) =>
        (place % 2 === 0 ? node : other).tryBind(account.systemId, {
          localAddress: `127.8.0.${1 + (place % 10)}`,
        }),
      ),
    )
    const statuses = attempts.map(({ status }) => status)
    expect(statuses.filter((status) => status === 0)).toHaveLength(7)
    expect(statuses.filter((status) => status === 0x0d)).toHaveLength(43)
    expect(await bindsOf(account.userId)).toBe(7)
    for (const { peer } of attempts) peer.destroy()
  })
})

test('a second bind on a bound session is 0x05 and the first one stays', async () => {
  const account = await environment.account()
  const peer = await node.bound(account)
  peer.send('bind_transmitter', 5, { systemId: account.systemId, password })
  expect(await peer.next()).toMatchObject({ status: 0x05, sequence: 5 })
  peer.send('enquire_link', 6)
  expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp' })
  expect(await bindsOf(account.userId)).toBe(1)
  peer.destroy()
})

test('a reset connection frees its place within five seconds', async () => {
  const account = await environment.account({ maxConnections: 1 })
  await eventually(async () => {
    const peer = await node.bound(account)
    expect((await node.tryBind(account.systemId)).status).toBe(0x0d)
    const resetMs = performance.now()
    peer.socket.resetAndDestroy()
    await expect.poll(() => bindsOf(account.userId)).toBe(0)
    expect(performance.now() - resetMs).toBeLessThan(5_000)
  })
  ;(await node.bound(account)).destroy()
})

const changes = [
  ['is suspended', sql`status = 'suspended'`],
  ['loses its SMPP access', sql`smpp_access = false`],
  ['may not come from there any more', sql`allowed_cidrs = '{10.0.0.0/8}'`],
  ['is to bind over TLS now', sql`smpp_tls_only = true`],
] as const

test.each(changes)(
  'a peer whose account %s is unbound on every node within five seconds',
  async (_, change) => {
    const account = await environment.account()
    const other = await environment.anotherNode()
    const peers = [await node.bound(account), await other.bound(account)]
    await sql`update users set ${change} where id = ${account.userId}`.execute(db)
    for (const peer of peers) {
      expect(await peer.next()).toMatchObject({ command: 'unbind' })
      // The peer never answers the unbind; its socket is closed nevertheless.
      await peer.closed()
    }
    await expect.poll(() => bindsOf(account.userId)).toBe(0)
  },
)

test('a new password disconnects binds with the old one', async () => {
  const account = await environment.account()
  const peer = await node.bound(account)
  await sql`update smpp_credentials set updated_at = clock_timestamp() where user_id = ${account.userId}`.execute(
    db,
  )
  expect(await peer.next()).toMatchObject({ command: 'unbind' })
  peer.send('unbind_resp', 1)
  await peer.closed()
})

test('each account has its own window, and a change applies to bound sessions', async () => {
  const account = await environment.account({ window: 3 })
  const peer = await node.bound(account)
  const windowNow = () =>
    row<{ window_max: number }>(db, sql`select window_max from binds where user_id = ${account.userId}`)
  expect(await windowNow()).toEqual({ window_max: 3 })
  await sql`update users set smpp_window = 7 where id = ${account.userId}`.execute(db)
  await expect.poll(windowNow).toEqual({ window_max: 7 })
  const digits = await environment.number()
  // One write, so that all are read before the first is answered.
  peer.write(
    Buffer.concat(
      Array.from({ length: 9 }, (_, at) =>
        encodeAlone('submit_sm', 0, 10 + at, { sourceAddr: '1', destinationAddr: digits, destAddrTon: 1 }),
      ),
    ),
  )
  const statuses = (await peer.take(9)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 0x58)).toHaveLength(2)
  expect(statuses.filter((status) => status === 0)).toHaveLength(7)
  peer.destroy()
})

test('a lower limit disconnects the youngest binds', async () => {
  const account = await environment.account({ maxConnections: 3 })
  const [first, second, third] = [
    await node.bound(account),
    await node.bound(account),
    await node.bound(account),
  ]
  await sql`update users set max_connections = 2 where id = ${account.userId}`.execute(db)
  expect(await third.next()).toMatchObject({ command: 'unbind' })
  for (const peer of [first, second]) {
    peer.send('enquire_link', 2)
    expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp' })
    peer.destroy()
  }
  third.destroy()
})

test('a dead node frees its binds within fifteen seconds', async () => {
  const account = await environment.account({ maxConnections: 1 })
  await sql`insert into nodes (id, host, roles, seen_at) values ('dead', 'dead', '{smpp}', clock_timestamp())`.execute(
    db,
  )
  await sql`insert into binds (id, node_id, user_id, system_id, bind_type, interface_version, remote_address)
    values ('ghost', 'dead', ${account.userId}, ${account.systemId}, 'transceiver', '3.4', '127.0.0.1')`.execute(
    db,
  )
  expect((await node.tryBind(account.systemId)).status).toBe(0x0d)
  await sql`update nodes set seen_at = clock_timestamp() - interval '13 seconds' where id = 'dead'`.execute(
    db,
  )
  ;(await node.bound(account)).destroy()
})

test('a bind whose row was deleted with its node gets it again', async () => {
  const account = await environment.account()
  const peer = await node.bound(account)
  await sql`delete from binds where user_id = ${account.userId}`.execute(db)
  await expect.poll(() => bindsOf(account.userId)).toBe(1)
  peer.send('enquire_link', 2)
  expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp' })
  peer.destroy()
})

await withManyLoopbacks('waits after failed binds', () => {
  test('six failures from one address delay the next answer, but not that of an account known at the address', async () => {
    const localAddress = newAddress()
    const account = await environment.account()
    ;(await node.bound(account, 'transceiver', localAddress)).destroy()
    for (let turn = 0; turn < 5; turn += 1) {
      ;(await node.tryBind(`stranger${turn}`, { localAddress })).peer.destroy()
    }
    const startedMs = performance.now()
    ;(await node.tryBind('stranger', { localAddress })).peer.destroy()
    expect(performance.now() - startedMs).toBeGreaterThan(900)
    // The wait is a second or more, each time; a busy machine spoils one try or the other.
    await eventually(async () => {
      const goodMs = performance.now()
      ;(await node.bound(account, 'transceiver', localAddress)).destroy()
      expect(performance.now() - goodMs).toBeLessThan(900)
    })
  })

  test('200 binds at once from one address are 200 bound within 3 s', async () => {
    await eventually(async () => {
      const localAddress = newAddress()
      const accounts = [
        await environment.account({ maxConnections: 100 }),
        await environment.account({ maxConnections: 100 }),
      ]
      const startedMs = performance.now()
      const attempts = await Promise.all(
        Array.from({ length: 200 }, (_, at) =>
          node.tryBind(accounts[at % 2]?.systemId ?? '', { localAddress }),
        ),
      )
      const tookMs = performance.now() - startedMs
      for (const { peer } of attempts) peer.destroy()
      expect(attempts.filter(({ status }) => status === 0)).toHaveLength(200)
      expect(tookMs).toBeLessThan(3_000)
    })
  })

  test('a correct password is accepted within 2 s during hundreds of guesses, from the same and another address', async () => {
    const account = await environment.account()
    const guessers = await Promise.all(
      Array.from({ length: 300 }, async (_, at) => {
        const peer = await Peer.connect(node.port, `127.9.0.${1 + (at % 3)}`)
        peer.send('bind_transceiver', 1, { systemId: account.systemId, password: `guess${at % 100}` })
        return peer
      }),
    )
    for (const localAddress of ['127.9.0.1', newAddress()]) {
      await eventually(async () => {
        const startedMs = performance.now()
        ;(await node.bound(account, 'transceiver', localAddress)).destroy()
        expect(performance.now() - startedMs).toBeLessThan(2_000)
      })
    }
    // The guessers wait: only the first free failures have an answer yet.
    expect(guessers.filter((peer) => peer.received.length > 0).length).toBeLessThan(30)
    for (const peer of guessers) peer.destroy()
  })

  test('refusals for limits do not count as failures', async () => {
    const localAddress = newAddress()
    const account = await environment.account({ status: 'suspended' })
    const startedMs = performance.now()
    for (let turn = 0; turn < 12; turn += 1) {
      const { status, peer } = await node.tryBind(account.systemId, { localAddress })
      expect(status).toBe(0x0d)
      peer.destroy()
    }
    // As failures, the last seven would wait 1, 2, 4 … s.
    expect(performance.now() - startedMs).toBeLessThan(30_000)
  })
})

test('the slot of a bind is free when its unbind_resp arrives, before the socket closes', async () => {
  const only = await environment.account({ maxConnections: 1 })
  for (let turn = 0; turn < 10; turn += 1) {
    const peer = await node.bound(only)
    peer.send('unbind', 2)
    expect(await peer.next()).toMatchObject({ command: 'unbind_resp', status: 0 })
    const next = await node.tryBind(only.systemId)
    expect([turn, next.status]).toEqual([turn, 0])
    next.peer.send('unbind', 2)
    await next.peer.next()
    for (const each of [peer, next.peer]) each.destroy()
  }
})
