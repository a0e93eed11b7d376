// Makes and delivers the files. One node at a time holds the lease.
import { rm } from 'node:fs/promises'
import { Counter } from 'prom-client'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { FairQueue } from '../platform/load/fair-queue.ts'
import type { Logger } from '../platform/log.ts'
import { registry } from '../platform/metrics.ts'
import { backoffMs, jittered } from '../platform/work/backoff.ts'
import { fencedTransaction, type Lease, type Leases } from '../platform/work/leases.ts'
import { LeasedWorker } from '../platform/work/leased-worker.ts'
import { Recurring } from '../platform/work/recurring.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { RecordsGone } from '../ingest/index.ts'
import { type RangeDeps } from '../records/index.ts'
import { DeliveryFault, type DestinationSession } from './destinations/destination.ts'
import { openDestination, type DestinationDeps } from './destinations/open.ts'
import { makeFiles } from './make-files.ts'
import { manifestNameOf, manifestOf } from './manifest.ts'
import { openSecret } from './secret.ts'
import {
  dueFiles,
  noteDelivered,
  noteFailure,
  noteIncomplete,
  noteWritten,
  waitingAmong,
  type DueFile,
} from './store.ts'
import { writeFile, writeText, type WrittenFile } from './write-file.ts'

const leaseName = 'cdr-files'
const standardTurnMs = 5_000
// One slow destination holds up no other, up to so many.
const deliveriesMax = 4
// As long as a destination may be away without anybody noticing the difference afterwards.
const backoff = { firstMs: 15_000, maxMs: 1_800_000 }

const fileCount = new Counter({
  name: 'tollgate_cdr_files_total',
  help: 'CDR files by the outcome of each attempt: delivered, failed, incomplete.',
  labelNames: ['outcome'],
  registers: [registry],
})

export interface CdrWorkerParts extends DestinationDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn' | 'error'>
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly leases: Pick<Leases, 'acquire'>
  /** How the content of a file is read. */
  readonly reading: RangeDeps
  /** Files are written here before they are delivered. Of this node alone. */
  readonly folder: string
  readonly turnEveryMs?: number
  readonly onFault: (error: unknown) => void
}

type Owner = Pick<Lease, 'name' | 'token'>

/** {@link LeasedWorker.stop} breaks off what is under way: the next owner delivers it again. */
export class CdrWorker extends LeasedWorker {
  readonly #parts: CdrWorkerParts
  readonly #active = new Map<number, Promise<void>>()
  readonly #written = new Map<string, WrittenFile>()
  // Two files at once would need twice the memory and the database's time.
  readonly #writing = new FairQueue({ runningMax: 1 })

  constructor(parts: CdrWorkerParts) {
    super({ leases: parts.leases, name: leaseName, onFault: parts.onFault })
    this.#parts = parts
  }

  protected override async own(lease: Lease, signal: AbortSignal): Promise<void> {
    const { folder, turnEveryMs = standardTurnMs, onFault } = this.#parts
    await rm(folder, { recursive: true, force: true })
    const turns = new Recurring({ run: () => this.#turn(lease, signal), everyMs: turnEveryMs, onFault })
    await this.runTurns(turns, signal)
    await Promise.all(this.#active.values())
    this.#written.clear()
    await rm(folder, { recursive: true, force: true })
  }

  async #turn(lease: Owner, signal: AbortSignal): Promise<{ pauseMs: number } | void> {
    const { db, clock } = this.#parts
    const made = await makeFiles(db, lease, clock.now())
    for (const file of await dueFiles(db)) {
      if (signal.aborted || this.#active.size >= deliveriesMax) break
      if (!this.#active.has(file.scheduleId)) this.#begin(file, lease, signal)
    }
    await this.#forgetOthers()
    // A schedule that was paused has several to make.
    return made > 0 ? { pauseMs: 0 } : undefined
  }

  #begin(file: DueFile, lease: Owner, signal: AbortSignal): void {
    const { onFault } = this.#parts
    const work = this.#deliver(file, lease, signal)
      .catch((error: unknown) => (signal.aborted ? undefined : onFault(error)))
      .finally(() => {
        this.#active.delete(file.scheduleId)
        this.wake()
      })
    this.#active.set(file.scheduleId, work)
  }

  async #deliver(file: DueFile, lease: Owner, signal: AbortSignal): Promise<void> {
    try {
      const written = await this.#write(file, lease, signal)
      await this.#send(file, written, signal)
      await this.#note(lease, (tx) => noteDelivered(tx, file.id))
      fileCount.inc({ outcome: 'delivered' })
      await this.#forget(file.id)
    } catch (error) {
      // Whoever lost the lease or stops says nothing: the next owner begins again.
      if (signal.aborted) return
      await this.#fail(file, lease, error)
    }
  }

  /** Writes it, unless an attempt that failed has left it on the disk; its hash and count are stored first. */
  async #write(file: DueFile, lease: Owner, signal: AbortSignal): Promise<WrittenFile> {
    const { reading, folder } = this.#parts
    const kept = this.#written.get(file.id)
    if (kept !== undefined) return kept
    const write = async () => {
      const written = await writeFile(reading, folder, file, signal)
      await this.#note(lease, (tx) => noteWritten(tx, file.id, written))
      this.#written.set(file.id, written)
      return written
    }
    return this.#writing.run(write, { signal })
  }

  async #send(file: DueFile, written: WrittenFile, signal: AbortSignal): Promise<void> {
    const { folder, secrets } = this.#parts
    const name = manifestNameOf(file.name)
    const manifest = await writeText(folder, `${file.id}.json`, manifestOf(file, written))
    const secret = openSecret(secrets, file.scheduleId, file.encryptedSecret)
    const session = await openDestination(this.#parts, file.destination, secret, signal)
    try {
      await session.put({ ...written, name: file.name })
      await session.put({ ...manifest, name })
      if (file.fromXid === null) await requireSame(session, file.name, written)
    } finally {
      await session.close()
      await rm(manifest.path, { force: true })
    }
  }

  async #fail(file: DueFile, lease: Owner, error: unknown): Promise<void> {
    const { log } = this.#parts
    if (error instanceof RecordsGone) {
      fileCount.inc({ outcome: 'incomplete' })
      log.error({ file: file.name }, 'a CDR file cannot be delivered: its records were removed meanwhile')
      return this.#note(lease, (tx) => noteIncomplete(tx, file.id, goneText))
    }
    fileCount.inc({ outcome: 'failed' })
    const isKnown = error instanceof DeliveryFault
    log.warn({ file: file.name, err: error }, 'a CDR file was not delivered; it is tried again')
    const text = isKnown ? error.message : 'The gateway failed. Its log says why.'
    const pauseMs = jittered(backoffMs(file.attempts + 1, backoff), Math.random())
    await this.#note(lease, (tx) => noteFailure(tx, file.id, text, pauseMs))
  }

  #note(lease: Owner, work: (tx: Db) => Promise<void>): Promise<void> {
    return fencedTransaction(this.#parts.db, lease, work)
  }

  /** Files that nobody waits for any more, since their schedule was deleted. */
  async #forgetOthers(): Promise<void> {
    if (this.#written.size === 0) return
    const waiting = await waitingAmong(this.#parts.db, [...this.#written.keys()])
    for (const id of this.#written.keys()) if (!waiting.has(id)) await this.#forget(id)
  }

  async #forget(id: string): Promise<void> {
    const written = this.#written.get(id)
    this.#written.delete(id)
    if (written !== undefined) await rm(written.path, { force: true })
  }
}

/** Records are removed on the word of their archive, so what arrived is read back. */
async function requireSame(
  session: DestinationSession,
  name: string,
  { sizeBytes, sha256 }: WrittenFile,
): Promise<void> {
  if ((await session.hashOf(name, sizeBytes)) !== sha256)
    throw new DeliveryFault('What was read back from the destination is not what was sent.')
}

const goneText =
  'Some of its records were removed after RECORD_MONTHS, before it could be delivered. A file without them would be taken for whole, so none is.'
