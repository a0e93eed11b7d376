import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestDatabase, waitersFor } from '../../../test/environment/database.ts'
import { transaction } from '../transaction.ts'
import { lockItem, locks, tryLock } from './locks.ts'
import { closeTrafficGate, passTrafficGate } from './traffic-gate.ts'

const { db } = await openTestDatabase()

const server = join(import.meta.dirname, '../../..')
const sources = ['src', 'test', 'drills', 'migrations', '../bench'].flatMap((folder) =>
  readdirSync(join(server, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|sql)$/.test(name) && !name.includes('node_modules'))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(join(server, folder, name), 'utf8') })),
)

test('every purpose has a key of its own', () => {
  const keys = Object.values(locks).map(({ key }) => key)
  expect(new Set(keys).size).toBe(keys.length)
})

test('code takes an advisory lock only by its name here', () => {
  const calls = sources.filter(({ name, text }) => name.endsWith('.ts') && /pg_(try_)?advisory/.test(text))
  expect(calls.map(({ name }) => name).filter((name) => !name.startsWith('src/platform/locks/'))).toEqual([])
})

test('the functions of the schema use the key of the traffic gate, or a name that no code uses', () => {
  const calls = sources
    .filter(({ name }) => name.endsWith('.sql'))
    .flatMap(({ text }) => [...text.matchAll(/pg_(?:try_)?advisory\w+\((.+)\);/g)].map(([, key]) => key))
  expect(new Set(calls)).toEqual(
    new Set([
      String(locks.trafficGate.key),
      `hashtext('ensure_record_week')`,
      `hashtext('grant_to_application')`,
      `hashtext('settle_log')`,
    ]),
  )
})

test('a lock of one item does not keep another item waiting', async () => {
  await transaction(db, async (tx) => {
    await lockItem(tx, 'paymentHash', 'one')
    await transaction(db, (other) => lockItem(other, 'paymentHash', 'two'))
  })
})

test('a lock that another transaction has is not waited for', async () => {
  await transaction(db, async (tx) => {
    expect(await tryLock(tx, 'fold')).toBe(true)
    expect(await transaction(db, (other) => tryLock(other, 'fold'))).toBe(false)
  })
})

test('many pass the gate at once; who closes it waits for them, and nobody passes meanwhile', async () => {
  const order: string[] = []
  let closing: Promise<unknown> | undefined
  let late: Promise<unknown> | undefined
  await transaction(db, async (tx) => {
    await passTrafficGate(tx)
    await transaction(db, passTrafficGate)
    // Noted before the commits, because two answers that arrive together are read in any order.
    closing = transaction(db, async (other) => {
      await closeTrafficGate(other)
      order.push('closed')
    })
    await expect.poll(() => waitersFor(db)).toBe(1)
    late = transaction(db, async (other) => {
      await passTrafficGate(other)
      order.push('passed after it')
    })
    await expect.poll(() => waitersFor(db)).toBe(2)
    order.push('passed before it')
  })
  await Promise.all([closing, late])
  expect(order).toEqual(['passed before it', 'closed', 'passed after it'])
})

test('who closes the gate can give up waiting', async () => {
  await transaction(db, async (tx) => {
    await passTrafficGate(tx)
    await expect(
      transaction(db, (other) => closeTrafficGate(other, { waitMaxMs: 20 })),
    ).rejects.toMatchObject({
      code: '55P03',
    })
  })
})
