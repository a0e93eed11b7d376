import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/environment/temporary-folder.ts'
import { findSecretKey, makeSecretKey, replaceKeyFile } from './secret-key.ts'

const load = (dataDir: string, secretKey?: string) => findSecretKey({ secretKey, dataDir })

test('a given key is used and nothing is written', async () => {
  const dataDir = await temporaryFolder()
  expect(await load(dataDir, 'given key material')).toBe('given key material')
  expect(await readdir(dataDir)).toEqual([])
})

test('looking for a key makes none', async () => {
  const dataDir = await temporaryFolder()
  expect([await load(dataDir), await readdir(dataDir)]).toEqual([undefined, []])
})

test('starts at once make one key, readable by its owner alone, and later ones find it', async () => {
  const dataDir = await temporaryFolder()
  const make = () => makeSecretKey({ dataDir })
  const keys = await Promise.all([make(), make(), make()])
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(await readdir(dataDir)).toEqual(['secret.key'])
  expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600)
  expect(await load(dataDir)).toBe(keys[0])
})

test('a damaged key is never replaced, since that would lose what it encrypted', async () => {
  const dataDir = await temporaryFolder()
  await writeFile(join(dataDir, 'secret.key'), 'torn', { mode: 0o600 })
  await expect(load(dataDir)).rejects.toThrow(/secret.key is damaged/)
})

test('a new key counts once it was taken, and never when that failed', async () => {
  const folder = await temporaryFolder()
  const first = await makeSecretKey({ dataDir: folder })
  const refused = replaceKeyFile({ dataDir: folder }, () => Promise.reject(new Error('not taken')))
  await expect(refused).rejects.toThrow('not taken')
  expect([await load(folder), await readdir(folder)]).toEqual([first, ['secret.key']])
  const seen: string[] = []
  const next = await replaceKeyFile({ dataDir: folder }, async (key) => {
    seen.push(key, (await load(folder)) ?? '')
  })
  expect(seen).toEqual([next, first])
  expect([await load(folder), await readdir(folder)]).toEqual([next, ['secret.key']])
  expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(folder, 'secret.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
})
