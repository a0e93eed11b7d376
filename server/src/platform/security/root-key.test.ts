import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/environment/database.ts'
import type { Db } from '../db.ts'
import { addSecretKey, hasRootKey, keepOnlySecretKey, listRootKeys, openRootKey } from './root-key.ts'
import { createSecrets } from './secrets.ts'

const open = (db: Db, key: string, acceptsNewSecretKey = false) =>
  openRootKey(db, key, { secretKey: key, acceptsNewSecretKey, dataDir: '/data', makeSecretKey: notMade })
const notMade = () => Promise.reject(new Error('no file may be made'))
const one = 'key material one'
const two = 'key material two'

test('nodes that start together share one random root key, which no other SECRET_KEY decrypts', async () => {
  const { db } = await openTestDatabase()
  const [first, second] = await Promise.all([open(db, one), open(db, one)])
  expect(first).toEqual({ material: expect.stringMatching(/^[0-9a-f]{64}$/), isReplaced: false })
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
  expect(accepted.isReplaced).toBe(true)
  expect(accepted.material).not.toBe(material)
  expect(await open(db, two)).toEqual({ ...accepted, isReplaced: false })
  // A node that still runs with the lost key notices it.
  expect([await hasRootKey(db, material), await hasRootKey(db, accepted.material)]).toEqual([false, true])
  await expect(open(db, one)).rejects.toThrow(/SECRET_KEY/)
})

test('a node of its own key file is refused beside a database of another key, with the cure', async () => {
  const { db } = await openTestDatabase()
  const made: string[] = []
  const makeSecretKey = async () => {
    made.push('a new file')
    return 'key of the first file'
  }
  const config = { secretKey: undefined, acceptsNewSecretKey: false, dataDir: '/data', makeSecretKey }
  const first = await openRootKey(db, undefined, config)
  expect([first.isReplaced, made]).toEqual([false, ['a new file']])
  await expect(openRootKey(db, undefined, config)).rejects.toThrow(
    /^The key of this database is missing: .*\/data\/secret\.key\. Put that file back, .*\.$/,
  )
  await expect(openRootKey(db, 'key of the second file', config)).rejects.toThrow(
    /^\/data\/secret\.key is not the key .*\.$/,
  )
  expect(made).toHaveLength(1)
  expect(await openRootKey(db, 'key of the first file', config)).toEqual(first)
  const accepted = await openRootKey(db, undefined, { ...config, acceptsNewSecretKey: true })
  expect([accepted.isReplaced, made.length]).toEqual([true, 2])
})
