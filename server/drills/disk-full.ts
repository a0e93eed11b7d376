// The disk of the embedded database fills up under load, and gets space again. The drill mounts a small disk, which only
// root can do; otherwise it is skipped.
import { execFile } from 'node:child_process'
import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { until } from './conditions.ts'
import { defineDrill, type DrillRun, type DrillOptions } from './define.ts'
import { drillFolder, makeEmbeddedTestbed } from './embedded-testbed.ts'
import { judge } from './judge.ts'
import { startLoad } from './start-load.ts'

const exec = promisify(execFile)
const megabyte = 1024 * 1024
/** Ready again within 10 s after the cause is removed. */
const recoveryMaxMs = 10_000

export const diskFull = defineDrill({
  name: 'disk-full',
  summary: 'the disk of the embedded database fills up under load, and gets room again; root only, on Linux',
  options: { rounds: 5, roomMegabytes: 25 },
  short: { rounds: 1, roomMegabytes: 20 },
  async run({ options, random, note, onEnd }) {
    const disk = await mountSmallDisk({ onEnd })
    if (disk === undefined)
      return { isPassed: true, figures: ['SKIPPED: only root on Linux can mount a small disk to fill'] }
    const testbed = await makeEmbeddedTestbed({ onEnd }, { below: disk })
    await testbed.start()
    const { suppliers, periodic } = await startLoad(
      { onEnd, random },
      { ...testbed, ports: [testbed.smppPort] },
      { perSecond: 0 },
    )
    const isReady = async () => (await fetch(`${testbed.url}/readyz`)).status === 200
    let longestBackMs = 0
    for (let round = 1; round <= options.rounds; round += 1) {
      const before = suppliers.acknowledged
      await until('acknowledgements', () => suppliers.acknowledged > before)
      // Another program takes almost all space: the gateway refuses messages before the database has none left.
      const other = join(disk, 'other')
      await takeRoom(disk, other, options.roomMegabytes)
      await until('not ready while the disk is full', async () => !(await isReady()))
      await until('messages are refused', async () => {
        const acknowledged = suppliers.acknowledged
        await sleep(500)
        return suppliers.acknowledged === acknowledged
      })
      const leftMegabytes = Math.floor((await roomIn(disk)) / megabyte)
      if (leftMegabytes < 1) throw new Error('The database was left no room')
      // Then it takes the rest.
      await takeRoom(disk, other, 0)
      await sleep(1_000 + random.below(1_000))
      await rm(other)
      const [roomAtMs, atRoom] = [performance.now(), suppliers.acknowledged]
      await until('acknowledgements once there is room', () => suppliers.acknowledged > atRoom)
      const backMs = performance.now() - roomAtMs
      await until('ready once there is room', isReady)
      longestBackMs = Math.max(longestBackMs, backMs)
      note(
        `round ${round}: messages refused with ${leftMegabytes} MB left, then nothing left, acknowledging ${(backMs / 1_000).toFixed(1)} s after there was room`,
      )
    }
    const address = await testbed.address()
    if (address === undefined) throw new Error('The database is not running at the end of the drill')
    const judged = await judge({ note }, address, suppliers, periodic)
    return {
      isPassed: judged.isPassed,
      isInTime: longestBackMs <= recoveryMaxMs,
      figures: [
        ...judged.figures,
        `acknowledging again after ${(longestBackMs / 1_000).toFixed(1)} s at most`,
        `${suppliers.journal.unanswered} left without an answer`,
      ],
    }
  },
})

const diskMegabytes = 1_500

/** A RAM disk; undefined where this account may not mount one. */
async function mountSmallDisk({ onEnd }: Pick<DrillRun<DrillOptions>, 'onEnd'>): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  const folder = await drillFolder({ onEnd })
  const mounted = await exec('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${diskMegabytes}m,mode=0711`,
    'tmpfs',
    folder,
  ]).catch(() => undefined)
  if (mounted === undefined) return undefined
  onEnd(() => exec('umount', ['--lazy', folder]))
  return folder
}

async function roomIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

async function takeRoom(disk: string, path: string, leftMegabytes: number): Promise<void> {
  const chunk = Buffer.alloc(megabyte)
  const file = await open(path, 'a')
  try {
    while ((await roomIn(disk)) > leftMegabytes * megabyte) await file.write(chunk)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await file.close()
  }
}
