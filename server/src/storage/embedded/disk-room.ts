// The room on the disk of the embedded database. PostgreSQL needs some to refuse and to stop cleanly: so no more messages
// are taken before all of it is used, and a ballast file is given up then.
import { open, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Gauge } from 'prom-client'
import type { Logger } from '../../platform/log.ts'
import { registry } from '../../platform/metrics.ts'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { Recurring } from '../../platform/work/recurring.ts'

export interface Room {
  readonly freeBytes: number
  readonly sizeBytes: number
}

/** Below these shares of the disk: a warning, a critical alert, the node is not ready, messages are refused. */
export const roomShares = { warning: 0.15, critical: 0.08, ready: 0.05, refused: 0.02 } as const
/** Messages are taken again from here on: more than the ballast gives back. */
const takenAgainShare = 0.04
const everyMs = 500
const megabyte = 1024 * 1024
const ballastMax = 64 * megabyte
/** A file of PostgreSQL's log: without room for one it does not start. */
const startBytes = 16 * megabyte

const freeBytes = new Gauge({
  name: 'tollgate_disk_free_bytes',
  help: 'What is free on the disk of the embedded database.',
  registers: [registry],
})
const sizeBytes = new Gauge({
  name: 'tollgate_disk_size_bytes',
  help: 'The size of the disk of the embedded database.',
  registers: [registry],
})

/** What is free on the disk of a folder, and its size. */
export async function readRoom(folder: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}

export const shareOf = (room: Room) => room.freeBytes / Math.max(room.sizeBytes, 1)

/** "12 MB of 420 MB", for people. */
export function roomWords(room: Room): string {
  return `${sizeWords(room.freeBytes)} of ${sizeWords(room.sizeBytes)}`
}

function sizeWords(bytes: number): string {
  const [divisor, unit] = bytes >= 10_000 * megabyte ? [1024 * megabyte, 'GB'] : [megabyte, 'MB']
  return `${Math.floor(bytes / divisor)} ${unit}`
}

/** Why the database cannot start, where its disk is full; undefined where it has room. */
export async function fullDisk(folder: string, reason: string): Promise<StartFailure | undefined> {
  const room = await readRoom(folder)
  if (room.freeBytes >= startBytes && !/No space left|ENOSPC/.test(reason)) return undefined
  return new StartFailure(
    `The disk of ${folder} is full (${roomWords(room)} are free), so the database cannot start. ` +
      'Remove other files from this disk or make it larger, and start again. Delete nothing in that folder.',
  )
}

/** Frees the ballast when the disk is as full as that. Called before the database starts, which then has this room. */
export async function freeBallastIfFull(folder: string): Promise<void> {
  if (shareOf(await readRoom(folder)) < roomShares.refused) await rm(ballastOf(folder), { force: true })
}

const ballastOf = (folder: string) => join(folder, 'ballast')

export class DiskRoom {
  readonly #folder: string
  readonly #log: Pick<Logger, 'error' | 'info' | 'warn'>
  readonly #measuring: Recurring
  #room: Room = { freeBytes: Infinity, sizeBytes: 1 }
  #isRefusing = false
  /** Since when each share has been passed, in ms since 1970. */
  readonly #since = new Map<'warning' | 'critical', number>()

  constructor(folder: string, log: Pick<Logger, 'error' | 'info' | 'warn'>) {
    this.#folder = folder
    this.#log = log
    this.#measuring = new Recurring({
      run: () => this.measure(),
      everyMs,
      onFault: (error, isFirst) =>
        isFirst && this.#log.warn({ err: error, folder }, 'the room on the disk cannot be read'),
    })
  }

  start(): void {
    this.#measuring.start()
  }

  stop(): Promise<void> {
    return this.#measuring.stop()
  }

  get room(): Room {
    return this.#room
  }

  get folder(): string {
    return this.#folder
  }

  /** Whether messages have to be refused, so that the database keeps what room there is. */
  get isRefusing(): boolean {
    return this.#isRefusing
  }

  /** Since when less than this share is free; undefined while more is. */
  since(level: 'warning' | 'critical'): Date | undefined {
    const ms = this.#since.get(level)
    return ms === undefined ? undefined : new Date(ms)
  }

  /** Reads the room now, and acts on it. */
  async measure(): Promise<void> {
    this.#room = await readRoom(this.#folder)
    freeBytes.set(this.#room.freeBytes)
    sizeBytes.set(this.#room.sizeBytes)
    const share = shareOf(this.#room)
    for (const level of ['warning', 'critical'] as const) {
      if (share >= roomShares[level]) this.#since.delete(level)
      else if (!this.#since.has(level)) this.#since.set(level, Date.now())
    }
    if (!this.#isRefusing && share < roomShares.refused) await this.#refuse()
    else if (this.#isRefusing && share >= takenAgainShare) {
      this.#isRefusing = false
      this.#log.info({ ...this.#room, folder: this.#folder }, 'the disk has room: messages are taken again')
    }
    if (share > roomShares.critical) await this.#keepBallast()
  }

  async #refuse(): Promise<void> {
    this.#isRefusing = true
    this.#log.error(
      { ...this.#room, folder: this.#folder },
      `the disk of ${this.#folder} is full (${roomWords(this.#room)} are free): messages are refused until ${takenAgainShare * 100} % are free. Remove other files from this disk or make it larger; delete nothing in that folder`,
    )
    await rm(ballastOf(this.#folder), { force: true })
  }

  /** Written out, since a file of holes keeps no room. */
  async #keepBallast(): Promise<void> {
    const path = ballastOf(this.#folder)
    const bytes = Math.min(ballastMax, Math.floor(this.#room.sizeBytes / 100))
    if ((await stat(path).catch(() => undefined))?.size === bytes) return
    const file = await open(path, 'w', 0o600)
    try {
      const piece = Buffer.alloc(megabyte)
      for (let left = bytes; left > 0; left -= piece.length)
        await file.write(piece, 0, Math.min(left, piece.length))
    } finally {
      await file.close()
    }
  }
}
