import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/environment/temporary-folder.ts'
import { makeDataDir } from './data-dir.ts'

const folder = await temporaryFolder()
await writeFile(join(folder, 'file'), '')

test('what is missing of it is made, what is there stays', async () => {
  const dataDir = join(folder, 'a', 'b', 'c')
  await makeDataDir(dataDir)
  expect((await stat(dataDir)).mode & 0o777).toBe(0o711)
  await chmod(dataDir, 0o700)
  await makeDataDir(dataDir)
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
})

test('programs that start together make it together', async () => {
  for (let round = 0; round < 100; round++) {
    const dataDir = join(folder, `together-${round}`, 'b', 'c')
    await Promise.all(Array.from({ length: 4 }, () => makeDataDir(dataDir)))
    expect((await stat(dataDir)).isDirectory()).toBe(true)
  }
})

test.each([
  ['file', 'it is a file'],
  ['file/below', 'a file stands in its way'],
  // Neither takes folders, on Linux and on macOS.
  ['../../dev/null/data', 'a file stands in its way'],
])('%s cannot be used, and one line says why', async (path, reason) => {
  const dataDir = join(folder, path)
  await expect(makeDataDir(dataDir)).rejects.toThrow(
    `DATA_DIR=${dataDir} cannot be used: ${reason}. Give a folder that this account may write to.`,
  )
})

test('a file system that takes no folder is refused at once', async () => {
  const dataDir = process.platform === 'linux' ? '/proc/tollgate/data' : '/dev/tollgate/data'
  await expect(makeDataDir(dataDir)).rejects.toThrow(/^DATA_DIR=\S+ cannot be used: \D+\.$/)
})

test('a folder that is closed to this account is refused', async () => {
  const closed = join(folder, 'closed')
  await mkdir(closed, { mode: 0o500 })
  // Root may write anywhere, so to root nothing is closed.
  if (process.getuid?.() === 0) await expect(makeDataDir(closed)).resolves.toBeUndefined()
  else await expect(makeDataDir(closed)).rejects.toThrow('this account may not write there')
})
