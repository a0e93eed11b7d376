// Archives statements that were signed before statements were archived. Their records are kept until this is done.
import type { Db } from '../../platform/db.ts'
import { parseMessageId } from '../../records/index.ts'
import { listUnarchived, PieceWriter, setArchived, StatementArchive } from './archive.ts'
import { storedLines } from './read-statement.ts'
import { findStatement } from './store.ts'
import { verifyFile } from './verify-file.ts'

const statementsPerRun = 500

interface ArchivingDeps {
  readonly db: Db
  readonly clock: { now(): Date }
}

/**
 * Archives what is not archived yet. Throws, after all others are done, when a statement does not verify any more: its
 * records were changed, and its weeks are kept until somebody has looked at it.
 */
export async function archiveStatements({ db, clock }: ArchivingDeps, signal?: AbortSignal): Promise<void> {
  const wrong: string[] = []
  for (const { cycle_id: cycleId, user_id: userId } of await listUnarchived(db, statementsPerRun)) {
    if (signal?.aborted === true) return
    const pieces = new PieceWriter(db)
    const archive = new StatementArchive(pieces, cycleId, userId)
    const { faults } = await verifyFile(linesOf(db, cycleId, userId, archive))
    await pieces.flush()
    if (faults.length > 0) wrong.push(`${cycleId}-${userId}`)
    else
      await setArchived(db, cycleId, userId, {
        firstRecordAt: archive.firstRecordAtMs === undefined ? null : new Date(archive.firstRecordAtMs),
        file: archive.finish(),
        at: clock.now(),
      })
  }
  if (wrong.length > 0) throw new Error(`Statements that do not verify are not archived: ${wrong.join(', ')}`)
}

/** The lines of the file; those of the records go into the archive on the way. */
async function* linesOf(db: Db, cycleId: number, userId: number, archive: StatementArchive) {
  const statement = await findStatement(db, cycleId, userId)
  if (statement === undefined) return
  archive.mark(statement.preamble)
  yield statement.preamble.trimEnd()
  for await (const page of storedLines(db, cycleId, userId, statement))
    for (const line of page) {
      if (archive.isFull) await archive.flush(false)
      archive.addRecord(line, receivedAtMs(line))
      yield line
    }
  await archive.flush(true)
  archive.mark(statement.closing)
  yield* statement.closing.trimEnd().split('\n')
}

function receivedAtMs(line: string): number {
  const { id } = JSON.parse(line) as { id: string }
  return parseMessageId(id)?.createdAtMs ?? 0
}
