// A subscriber's number goes from the blocks of the search index. The filters keep the bits of its pieces: they say where
// it may stand, and its records are tested again.
import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../../platform/db.ts'
import type { ErasedSender } from '../../ingest/index.ts'
import { sourceAddressLine } from './source-address-lines.ts'

const blocksPerStep = 500

interface BlockRow {
  readonly id: string
  readonly senders: string
  readonly created_ats: readonly Date[]
  readonly record_ids: readonly string[]
}

/**
 * Replaces the lines of records whose sender was erased, in the next blocks after `afterId`. Lines of later records stay:
 * they would not be found any more. Gives the last block that was looked at; undefined at the end.
 */
export async function eraseLines(
  tx: Db,
  sender: ErasedSender,
  afterId: string,
): Promise<{ readonly lastId: string; readonly count: number } | undefined> {
  const window = await row<{ last: string | null; ids: string[] }>(
    tx,
    sql`select max(id) as last, coalesce(array_agg(id) filter (where strpos(senders, ${sender.digits}) > 0), '{}') as ids
        from (select id, senders from record_blocks where id > ${afterId}::bigint order by id limit ${blocksPerStep}::int) w`,
  )
  if (window?.last == null) return undefined
  const blocks = await rows<BlockRow>(
    tx,
    sql`select id, senders, created_ats, record_ids from record_blocks where id = any(${window.ids}::bigint[])
        order by id for update`,
  )
  let count = 0
  for (const block of blocks) count += await eraseBlock(tx, block, sender)
  return { lastId: window.last, count }
}

async function eraseBlock(tx: Db, block: BlockRow, { forms, pseudonym }: ErasedSender): Promise<number> {
  const lines = block.senders.split('\n')
  const own = lines.flatMap((line, nth) => (forms.includes(line) ? [nth] : []))
  if (own.length === 0) return 0
  const kept = await rows<{ id: string }>(
    tx,
    sql`select id from records_at(${own.map((nth) => block.created_ats[nth])}::timestamptz[],
          ${own.map((nth) => block.record_ids[nth])}::bigint[]) where sender = any(${forms}::text[])`,
  )
  const keptIds = new Set(kept.map(({ id }) => id))
  const erased = own.filter((nth) => !keptIds.has(block.record_ids[nth] ?? ''))
  for (const nth of erased) lines[nth] = sourceAddressLine(pseudonym)
  if (erased.length > 0)
    await changed(
      tx,
      sql`update record_blocks set senders = ${lines.join('\n')} where id = ${block.id}::bigint`,
    )
  return erased.length
}
