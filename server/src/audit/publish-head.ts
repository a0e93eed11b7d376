// Publishes the head of the log once a day: in the log, as a metric, by mail, and in the console.
import { Gauge } from 'prom-client'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Logger } from '../platform/log.ts'
import { registry } from '../platform/metrics.ts'
import { afterCommit, transaction } from '../platform/transaction.ts'
import { isWrittenByUs } from './append.ts'
import { readHead } from './chain-store.ts'
import { headLine, signHead, type SignedHead } from './head-line.ts'
import { databaseId, insertHead, lastHead } from './head-store.ts'
import type { AuditKeys } from './keys.ts'

const headId = new Gauge({
  name: 'tollgate_audit_head_id',
  help: 'The last entry of the audit log in the head that was published last.',
  registers: [registry],
})
const headTime = new Gauge({
  name: 'tollgate_audit_head_timestamp_seconds',
  help: 'When the head of the audit log was published last, seconds since 1970.',
  registers: [registry],
})

export interface PublishDeps {
  readonly db: Db
  readonly clock: Clock
  readonly keys: AuditKeys
  readonly log: Pick<Logger, 'info' | 'error'>
  /** Passes a published head on, in the transaction that publishes it. */
  readonly announce: (tx: Db, line: string, at: Date) => Promise<void>
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10)

/** Publishes once a day (UTC). Returns the line, or undefined when there is nothing to publish. */
export async function publishHead(deps: PublishDeps): Promise<string | undefined> {
  const { db, clock, log } = deps
  const last = await lastHead(db)
  if (last !== undefined) show(last.entry_id, last.published_at)
  const now = clock.now()
  if (last !== undefined && dayOf(last.published_at) >= dayOf(now)) return undefined
  return transaction(db, async (tx) => {
    const signed = await signNow(tx, deps, now)
    if (signed === undefined) return undefined
    const line = headLine(signed)
    await insertHead(tx, now, signed.entryId, line)
    await deps.announce(tx, line, now)
    afterCommit(tx, () => {
      show(signed.entryId, now)
      log.info({ head: line }, 'audit head')
    })
    return line
  })
}

/** Signs the head as it is; nothing for an empty log, and for a head that the program did not write. */
async function signNow(tx: Db, { keys, log }: PublishDeps, now: Date): Promise<SignedHead | undefined> {
  const { key } = await keys.current(tx)
  const head = await readHead(tx)
  if (head.id === '0') return undefined
  if (!(await isWrittenByUs(tx, keys, head))) {
    log.error(
      { entryId: head.id },
      'the end of the audit log was changed by somebody else: it is not published',
    )
    return undefined
  }
  return signHead(key, {
    databaseId: await databaseId(tx),
    entryId: head.id,
    entryCount: head.entryCount,
    hash: head.hash.toString('hex'),
    at: now.toISOString(),
  })
}

function show(entryId: string, at: Date): void {
  headId.set(Number(entryId))
  headTime.set(at.getTime() / 1000)
}
