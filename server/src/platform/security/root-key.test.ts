import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/environment/database.ts'
import type { Db } from '../db.ts'
import { addSecretKey, keepOnlySecretKey, listRootKeys, openRootKey } from './root-key.ts'
import { createSecrets } from './secrets.ts'

const open = (db: Db, key: string, acceptsNewSecretKey = false) =>
  openRootKey(db, key, { secretKey: key, acceptsNewSecretKey })
const one = 'key material one'
const two = 'key material two'

test('nodes that start together share one random root key, which no other SECRET_KEY decrypts', async () => {
  const { db } = await openTestDatabase()
  const [first, second] = await Promise.all([open(db, one), open(db, one)])
  expect(first).toEqual({ material: expect.stringMatching(/^[0-9a-f]{64}$/), status: 'same' })
  expect(second).toEqual(first)
  await expect(open(db, two)).rejects.toThrow(/^SECRET_KEY is not the key that this database .*\.$/)
  const stored = Buffer.concat((await listRootKeys(db)).map(({ encrypted_key: key }) => key))
  expect(stored.includes(first.material)).toBe(false)
})

test('SECRET_KEY is rotated without encrypting a secret again, and in the end the old one decrypts nothing', async () => {
  const { db } = await openTestDatabase()
  const { material } = await open(db, one)
  const encrypted = createSecrets(material).encrypt('carrier password', 'context')
  await expect(addSecretKey(db, two, 'key material three')).rejects.toThrow(/Nothing was changed/)
  // Killed here and run again: the same.
  await addSecretKey(db, one, two)
  await addSecretKey(db, one, two)
  expect([(await open(db, one)).material, (await open(db, two)).material]).toEqual([material, material])
  await expect(keepOnlySecretKey(db, 'key material three')).rejects.toThrow(/Nothing was changed/)
  expect(await keepOnlySecretKey(db, two)).toBe(1)
  expect(await keepOnlySecretKey(db, two)).toBe(0)
  await expect(open(db, one)).rejects.toThrow(/SECRET_KEY/)
  const after = await open(db, two)
  expect(createSecrets(after.material).decrypt(encrypted, 'context').toString()).toBe('carrier password')
  expect(await listRootKeys(db)).toHaveLength(1)
})

test('a lost key is replaced by a new one only where that is accepted', async () => {
  const { db } = await openTestDatabase()
  const { material } = await open(db, one)
  const accepted = await open(db, two, true)
  expect(accepted.status).toBe('accepted')
  expect(accepted.material).not.toBe(material)
  expect(await open(db, two)).toEqual({ ...accepted, status: 'same' })
  await expect(open(db, one)).rejects.toThrow(/SECRET_KEY/)
})

test('a node that was given no SECRET_KEY may start beside the others, known as foreign', async () => {
  const { db } = await openTestDatabase()
  const config = { secretKey: undefined, acceptsNewSecretKey: false }
  expect((await openRootKey(db, 'key of the first file', config)).status).toBe('same')
  const foreign = await openRootKey(db, 'key of the second file', config)
  expect(foreign).toEqual({ material: 'key of the second file', status: 'foreign' })
  expect((await openRootKey(db, 'key of the first file', config)).status).toBe('same')
})
