// A message that is repeated because its answer was lost is stored, marked, and held from billing.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { PduBody } from '@tollgate/smpp/pdu/registry.ts'
import type { Peer } from '@tollgate/smpp/testing/peer.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { makeTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { submit } from '../../../test/traffic/client.ts'
import { openTestGateway, secrets, type TestAccount } from '../../../test/traffic/gateway.ts'
import { silentLog, waitersFor } from '../../../test/environment/database.ts'
import { rows } from '../../platform/db.ts'
import { closeTrafficGate } from '../../platform/locks/traffic-gate.ts'
import { transaction } from '../../platform/transaction.ts'
import { recordFlags, type IngestMessage } from '../../ingest/index.ts'
import { LostAnswers } from './lost-answers.ts'
import { storeRepetition } from './store-repetition.ts'

const environment = await openTestGateway()
const { db, node } = environment
const client = await environment.account()

const bindsOf = ({ userId }: TestAccount) => rows(db, sql`select from binds where user_id = ${userId}`)

/** Sends messages and breaks the connection before their commit, so that their answers cannot leave. */
async function loseAnswers(account: TestAccount, send: (peer: Peer) => void, messageCount: number) {
  const peer = await node.bound(account, 'transmitter')
  await transaction(db, async (tx) => {
    await closeTrafficGate(tx)
    send(peer)
    // The messages wait for their commit; then the gateway sees the broken connection.
    await expect.poll(() => waitersFor(db)).toBeGreaterThan(0)
    peer.socket.resetAndDestroy()
    await expect.poll(() => bindsOf(account)).toHaveLength(0)
  })
  await expect
    .poll(async () => rows(db, sql`select from unanswered_records where user_id = ${account.userId}`))
    .toHaveLength(messageCount)
}

function loseAnswer(account: TestAccount, digits: string, fields: Partial<PduBody<'submit_sm'>>) {
  const message = { sourceAddr: '4915112345678', destinationAddr: digits, ...fields }
  return loseAnswers(account, (peer) => peer.send('submit_sm', 7, message), 1)
}

const again = (peer: Peer, digits: string, text: string, fields: Partial<PduBody<'submit_sm'>> = {}) =>
  submit(peer, digits, [text], {
    sourceAddrTon: 0,
    sourceAddrNpi: 0,
    destAddrTon: 0,
    destAddrNpi: 0,
    ...fields,
  })

async function recordsOf(digits: string) {
  return rows<{ isHeld: boolean; isSuspect: boolean; isDuplicateOfFirst: boolean }>(
    db,
    sql`select r.is_held as "isHeld", r.flags & ${recordFlags.duplicateSuspect} <> 0 as "isSuspect",
          coalesce(d.duplicate_of_id = min(r.id) over (), false) as "isDuplicateOfFirst"
        from records r join numbers n on n.id = r.number_id
        left join duplicate_records d on d.record_id = r.id
        where n.number = ${digits} order by r.id`,
  )
}

const plain = { isHeld: false, isSuspect: false, isDuplicateOfFirst: false }
const held = { isHeld: true, isSuspect: true, isDuplicateOfFirst: true }

test('the same message after a lost answer is answered, stored, marked and held, once', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', client)
  await loseAnswer(account, digits, { shortMessage: Buffer.from('vote 3') })
  const peer = await node.bound(account)
  await again(peer, digits, 'vote 4')
  const [id = ''] = await again(peer, digits, 'vote 3')
  expect(id).toMatch(/^[0-9A-Z]{26}$/)
  await again(peer, digits, 'vote 3')
  expect(await recordsOf(digits)).toEqual([plain, plain, held, plain])
  peer.destroy()
})

test('a repetition is recognised on another node too, and never for another account or another reference', async () => {
  const other = await environment.anotherNode()
  const [account, stranger] = [await environment.account(), await environment.account()]
  const digits = await environment.number('active', client)
  const reference = (value: number) => ({ tlvs: [makeTlv(tags.userMessageReference, value)] })
  await loseAnswer(account, digits, { shortMessage: Buffer.from('vote 3'), ...reference(1) })
  const strange = await other.bound(stranger)
  await again(strange, digits, 'vote 3', reference(1))
  const peer = await other.bound(account)
  await again(peer, digits, 'vote 3', reference(2))
  await again(peer, digits, 'vote 3', reference(1))
  expect(await recordsOf(digits)).toEqual([plain, plain, plain, held])
  peer.destroy()
  strange.destroy()
})

/** The state after a kill -9: a node and a bind, last seen so long ago or when the last record was stored. */
async function addDeadNode(id: string, { userId, systemId }: TestAccount, ago: string) {
  await sql`insert into nodes (id, host, roles, seen_at)
    select ${id}, 'dead:1', '{smpp}', least(clock_timestamp() - ${ago}::interval, max(created_at)) from records`.execute(
    db,
  )
  await sql`insert into binds (id, node_id, user_id, system_id, bind_type, interface_version, remote_address, is_tls, window_max)
    values (${id}, ${id}, ${userId}, ${systemId}, 'transceiver', '3.4', '127.0.0.1', false, 50)`.execute(db)
}

test('the last records of a node that died count as unanswered', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', client)
  const first = await node.bound(account)
  await again(first, digits, 'vote 3')
  first.destroy()
  await expect.poll(() => bindsOf(account)).toHaveLength(0)
  await addDeadNode('dead', account, '2600 ms')
  const second = await node.bound(account)
  await again(second, digits, 'vote 3')
  await again(second, digits, 'vote 3')
  expect(await recordsOf(digits)).toEqual([plain, held, plain])
  second.destroy()
})

test('the binds of a node that is long dead are read once', async () => {
  const account = await environment.account()
  await addDeadNode('long dead', account, '13 seconds')
  await addDeadNode('dead just now', account, '3 seconds')
  const peer = await node.bound(account)
  const left = await rows<{ node: string }>(
    db,
    sql`select node_id as node from binds where user_id = ${account.userId} and node_id like '%dead%'`,
  )
  // The commits of the other may still be under way.
  expect(left).toEqual([{ node: 'dead just now' }])
  peer.destroy()
})

test('an answered message may be sent again any number of times', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', client)
  const first = await node.bound(account)
  await again(first, digits, 'vote 3')
  first.destroy()
  const second = await node.bound(account)
  await again(second, digits, 'vote 3')
  expect(await recordsOf(digits)).toEqual([plain, plain])
  second.destroy()
})

const toMany = (peer: Peer, sequence: number, digits: readonly string[], text: string) =>
  peer.send('submit_multi', sequence, {
    sourceAddr: '4915112345678',
    destinations: digits.map((address) => ({ kind: 'address', ton: 0, npi: 0, address })),
    shortMessage: Buffer.from(text),
  })

test('a repeated submit_multi is recognised for each of its destinations, and only for those', async () => {
  const account = await environment.account()
  const [first, second, third] = [
    await environment.number('active', client),
    await environment.number('active', client),
    await environment.number('active', client),
  ]
  await loseAnswers(account, (peer) => toMany(peer, 7, [first, second], 'vote 3'), 2)
  const peer = await node.bound(account)
  toMany(peer, 8, [first, third, second], 'vote 3')
  const answer = await peer.next()
  expect(answer).toMatchObject({ command: 'submit_multi_resp', status: 0, sequence: 8 })
  expect(answer.body).toMatchObject({ failures: [] })
  toMany(peer, 9, [first, second], 'vote 3')
  expect(await peer.next()).toMatchObject({ status: 0, sequence: 9 })
  expect(await recordsOf(first)).toEqual([plain, held, plain])
  expect(await recordsOf(second)).toEqual([plain, held, plain])
  expect(await recordsOf(third)).toEqual([plain])
  peer.destroy()
})

/** A repeated message of this account, with the lost answers that contain the original, whose commit is uncertain. */
async function inDoubt(isStored: Promise<boolean | undefined>) {
  const account = await environment.account()
  const digits = await environment.number('active', client)
  const first = await node.bound(account)
  await again(first, digits, 'vote 3')
  first.destroy()
  const [record] = await environment.recordsTo(digits)
  const lost = new LostAnswers({ db, secrets, log: silentLog })
  const message: IngestMessage = {
    createdAtMs: Date.now(),
    digits,
    displayedSourceAddress: '4915112345678',
    gatewayId: 1,
    source: 'smpp',
    sequence: 1,
    sourceAddress: '4915112345678',
    destinationAddress: digits,
    esmClass: 0,
    dataCoding: 0,
    flags: 0,
    body: Buffer.from('vote 3'),
    completion: { committed: () => undefined, failed: () => undefined, settled: () => undefined },
  }
  const key = { createdAtMs: record!.created_at.getTime(), recordId: Number(record!.id) }
  const peer = { kind: 'account', id: account.userId } as const
  lost.doubt(peer, message, [], key, isStored)
  const parts = { db, log: silentLog, messages: node.ingest, holds: node.holds, lost }
  return { account, digits, lost, message, parts, peer }
}

test('an uncertain commit that succeeded makes the repetition held; one that failed is forgotten', async () => {
  const stored = await inDoubt(Promise.resolve(true))
  const original = stored.lost.take(stored.peer, stored.message, [])
  expect(await storeRepetition(stored.parts, stored.message, original!)).toMatchObject({ kind: 'stored' })
  expect(await recordsOf(stored.digits)).toEqual([plain, held])
  await stored.lost.stop()

  const undone = await inDoubt(Promise.resolve(false))
  await new Promise((done) => setImmediate(done))
  expect(undone.lost.take(undone.peer, undone.message, [])).toBeUndefined()
  await undone.lost.stop()
  expect(
    await rows(db, sql`select from unanswered_records where user_id = ${undone.account.userId}`),
  ).toEqual([])
})

test('a repetition waits for an uncertain commit, and is refused for now when it takes too long', async () => {
  let settle: (isStored: boolean) => void = () => undefined
  const doubted = await inDoubt(new Promise((resolve) => (settle = resolve)))
  const { lost, peer, message, parts, digits } = doubted
  const early = lost.take(peer, message, [])
  expect(await storeRepetition(parts, message, early!)).toEqual({ kind: 'failed', reason: 'unavailable' })
  const later = lost.take(peer, message, [])
  const storing = storeRepetition(parts, message, later!)
  settle(false)
  expect(await storing).toEqual({ kind: 'first' })
  expect(await recordsOf(digits)).toEqual([plain])
  await lost.stop()
})

test('of two writes at once neither ends before the answers are written', async () => {
  const { lost, message, peer } = await inDoubt(Promise.resolve(false))
  await lost.write()
  lost.note(peer, message, [], { createdAtMs: Date.now(), recordId: 4_711 })
  let isWritten = false
  void lost.write().then(() => (isWritten = true))
  await lost.write()
  expect(isWritten).toBe(true)
  await lost.stop()
})
