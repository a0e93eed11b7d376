// The disk of the embedded database fills up: what the gateway says, refuses and gives up, and how it starts on a full disk.
import { execFile } from 'node:child_process'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startProgram, temporaryFolder, type Program } from '../test/environment/program.ts'
import { readRoom } from './storage/embedded/disk-room.ts'

const exec = promisify(execFile)
const megabyte = 1024 * 1024

/** A small disk in memory; undefined where this account may not mount one. */
async function mountDisk(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  const folder = join(await temporaryFolder(), 'disk')
  await mkdir(folder)
  const flags = ['-t', 'tmpfs', '-o', 'size=420m,mode=0711', 'tmpfs', folder]
  if ((await exec('mount', flags).catch(() => undefined)) === undefined) return undefined
  onTestFinished(async () => void (await exec('umount', ['--lazy', folder])))
  return folder
}

/** Fills the disk until so many bytes are left. */
async function fill(disk: string, leftBytes: number): Promise<void> {
  const file = await open(join(disk, 'filler'), 'a')
  try {
    for (;;) {
      const bytes = Math.min(megabyte, (await readRoom(disk)).freeBytes - leftBytes)
      if (bytes <= 0) return
      await file.write(Buffer.alloc(bytes))
    }
  } finally {
    await file.close()
  }
}

const checksOf = async ({ url }: Program) => {
  const answer = await fetch(`${url}/readyz`)
  const { checks } = (await answer.json()) as { checks: Record<string, string> }
  return [answer.status, checks['disk']]
}

const freeBytesOf = async ({ url }: Program) =>
  Number(/^tollgate_disk_free_bytes (\S+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])

test('a full disk is named once with its folder, room and cure; a start on it says so; with room all goes on', async (context) => {
  const disk = await mountDisk()
  if (disk === undefined) return context.skip('only root on Linux can mount a small disk to fill')
  const dataDir = join(disk, 'data')
  const ballast = join(dataDir, 'postgres/ballast')
  const first = await startProgram('main', { DATA_DIR: dataDir })
  await first.ready
  await expect
    .poll(() =>
      stat(ballast).then(
        ({ size }) => size,
        () => 0,
      ),
    )
    .toBeGreaterThan(4 * megabyte)
  expect(await checksOf(first)).toEqual([200, 'ok'])

  await fill(disk, 7 * megabyte)
  await expect.poll(() => first.stdout()).toContain('messages are refused until 4 % are free')
  expect(await checksOf(first)).toEqual([503, 'failed'])
  await expect(stat(ballast)).rejects.toThrow('ENOENT')
  await expect.poll(() => freeBytesOf(first)).toBeLessThan(13 * megabyte)
  const errors = first
    .stdout()
    .split('\n')
    .filter((line) => line.includes('"error"'))
  expect(errors).toHaveLength(1)
  expect(errors[0]).toContain(`the disk of ${dataDir}/postgres is full`)
  expect(errors[0]).toContain('Remove other files from this disk or make it larger')
  first.kill('SIGTERM')
  expect((await first.exited).code).toBe(0)

  await fill(disk, 0)
  const refused = await startProgram('main', { DATA_DIR: dataDir })
  expect((await refused.exited).code).toBe(1)
  expect(refused.stderr().trim()).toMatch(
    /^The disk of \S+\/postgres is full \(0 MB of 420 MB are free\), so the database cannot start\. .* Delete nothing in that folder\.$/,
  )

  await rm(join(disk, 'filler'))
  const last = await startProgram('main', { DATA_DIR: dataDir })
  await last.ready
  expect(await checksOf(last)).toEqual([200, 'ok'])
  last.kill('SIGTERM')
  expect((await last.exited).code).toBe(0)
})
