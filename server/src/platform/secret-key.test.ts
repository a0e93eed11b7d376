import { chmod, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/harness.ts'
import { temporaryFolder } from '../../test/program.ts'
import { checkSecretKey, loadSecretKey } from './secret-key.ts'

const dataDir = await temporaryFolder()
const load = (secretKey?: string, folder = dataDir) => loadSecretKey({ secretKey, dataDir: folder })

test('a given key is used and nothing is written', async () => {
  expect(await load('given key material')).toBe('given key material')
  expect(await readdir(dataDir)).toEqual([])
})

test('starts at once make one key, readable by its owner alone, and later ones find it', async () => {
  const keys = await Promise.all([load(), load(), load()])
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(await readdir(dataDir)).toEqual(['secret.key'])
  expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600)
  expect(await load()).toBe(keys[0])
})

test('a damaged key is never replaced, since that would lose what it sealed', async () => {
  await chmod(join(dataDir, 'secret.key'), 0o600)
  await writeFile(join(dataDir, 'secret.key'), 'torn')
  await expect(load()).rejects.toThrow(/secret.key is damaged/)
})

test('the first key is the database’s: another SECRET_KEY is refused with one line until it is accepted', async () => {
  const { db } = await openTestDatabase()
  const check = (key: string, acceptsNewSecretKey = false) =>
    checkSecretKey(db, key, { secretKey: key, acceptsNewSecretKey })
  expect(await Promise.all([check('key material one'), check('key material one')])).toEqual(['same', 'same'])
  await expect(check('key material two')).rejects.toThrow(
    /^SECRET_KEY is not the key that this database .*\.$/,
  )
  expect(await check('key material two', true)).toBe('accepted')
  expect(await check('key material two')).toBe('same')
  await expect(check('key material one')).rejects.toThrow(/SECRET_KEY/)
})

test('a node that was given no SECRET_KEY may start beside the others, known as foreign', async () => {
  const { db } = await openTestDatabase()
  const given = { secretKey: undefined, acceptsNewSecretKey: false }
  expect(await checkSecretKey(db, 'key of the first file', given)).toBe('same')
  expect(await checkSecretKey(db, 'key of the second file', given)).toBe('foreign')
  expect(await checkSecretKey(db, 'key of the first file', given)).toBe('same')
})
