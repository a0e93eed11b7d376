// Whether the embedded database could be restored: when it was last copied, and how far its archived log goes.
import { Gauge } from 'prom-client'
import type pg from 'pg'
import type { Config } from '../../platform/process/config.ts'
import type { Logger } from '../../platform/log.ts'
import { registry } from '../../platform/metrics.ts'
import { Recurring } from '../../platform/work/recurring.ts'
import { lastBackupOf } from './backup-notes.ts'

const everyMs = 10_000
/** Without a copy for so long, or with a log that is archived so late, a person should look. */
const copyLateMs = 36 * 3_600_000
const walLateMs = 300_000

const copiedAt = new Gauge({
  name: 'tollgate_backup_timestamp_seconds',
  help: 'When the embedded database was last copied; 0 for never.',
  registers: [registry],
})

const archivedAt = new Gauge({
  name: 'tollgate_wal_archived_timestamp_seconds',
  help: 'When the log of the embedded database was last archived; 0 for never. Only with BACKUP_DIR.',
  registers: [registry],
})

const failures = new Gauge({
  name: 'tollgate_wal_archive_failing',
  help: '1 while the log of the embedded database cannot be archived. Only with BACKUP_DIR.',
  registers: [registry],
})

interface ArchiverRow {
  readonly archived_at: Date | null
  readonly failed_at: Date | null
  readonly now: Date
}

export class BackupWatch {
  readonly #pool: pg.Pool
  readonly #config: Pick<Config, 'dataDir'> & Partial<Pick<Config, 'backupDir'>>
  readonly #log: Pick<Logger, 'error' | 'info' | 'warn'>
  readonly #looking: Recurring
  #failingSince: Date | undefined
  #copyLateSince: Date | undefined

  constructor(
    pool: pg.Pool,
    config: Pick<Config, 'dataDir'> & Partial<Pick<Config, 'backupDir'>>,
    log: Pick<Logger, 'error' | 'info' | 'warn'>,
  ) {
    this.#pool = pool
    this.#config = config
    this.#log = log
    this.#looking = new Recurring({
      run: () => this.look(),
      everyMs,
      onFault: (error, isFirst) =>
        isFirst && log.warn({ err: error }, 'the state of the backups cannot be read'),
    })
  }

  start(): void {
    this.#looking.start()
  }

  stop(): Promise<void> {
    return this.#looking.stop()
  }

  /** BACKUP_DIR; undefined: there is none, so nothing is expected. */
  get folder(): string | undefined {
    return this.#config.backupDir
  }

  /** Since when the log cannot be archived: what is written since is lost with the disk. */
  get failingSince(): Date | undefined {
    return this.#failingSince
  }

  /** Since when a copy is overdue; undefined without BACKUP_DIR, where nobody promised one. */
  get copyLateSince(): Date | undefined {
    return this.#copyLateSince
  }

  /** Reads the state now. */
  async look(): Promise<void> {
    const copied = await lastBackupOf(this.#config.dataDir)
    copiedAt.set((copied?.getTime() ?? 0) / 1_000)
    if (this.#config.backupDir === undefined) return
    const { rows } = await this.#pool.query<ArchiverRow & { stats_reset: Date }>(
      `select last_archived_time as archived_at, last_failed_time as failed_at, now() as now, stats_reset
       from pg_stat_archiver`,
    )
    const [row] = rows
    if (row === undefined) return
    archivedAt.set((row.archived_at?.getTime() ?? 0) / 1_000)
    this.#noteArchive(row)
    const dueAt = (copied ?? row.stats_reset).getTime() + copyLateMs
    this.#copyLateSince = dueAt < row.now.getTime() ? new Date(dueAt) : undefined
  }

  /** A segment that failed is tried again until it succeeds, so the later of the two times says how it is now. */
  #noteArchive({ archived_at: archived, failed_at: failed, now }: ArchiverRow): void {
    const { backupDir } = this.#config
    const hasFailed = failed !== null && (archived === null || failed > archived)
    const isLate = archived !== null && now.getTime() - archived.getTime() > walLateMs
    const isFailing = hasFailed || isLate
    failures.set(isFailing ? 1 : 0)
    if (isFailing && this.#failingSince === undefined) {
      this.#failingSince = archived ?? failed ?? now
      this.#log.error(
        { backupDir, archivedAt: archived },
        'the log of the database cannot be archived: what is written from now on is lost with the disk, which fills up meanwhile. See that BACKUP_DIR is there, may be written to and has room',
      )
    } else if (!isFailing && this.#failingSince !== undefined) {
      this.#failingSince = undefined
      this.#log.info({ backupDir }, 'the log of the database is archived again')
    }
  }
}
