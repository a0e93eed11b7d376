// All records of one sender, found by the search index: one that only contains the digits is left out.
import type { Db } from '../../platform/db.ts'
import { listPositionOf, type ListPosition, type NamedRow } from '../../ingest/index.ts'
import { findPage } from '../search/index.ts'

/** Texts of so many records are in memory at a time. */
const pageRows = 200

/** A sender as it may be written: its digits, and what stands before them. */
export interface WrittenSender {
  readonly digits: string
  /** All ways to write it, the digits among them. */
  readonly forms: readonly string[]
}

/** The records of the sender, newest first, a page at a time; nothing stays open between two pages. */
export async function* recordsOfSender(
  db: Db,
  { digits, forms }: WrittenSender,
  now: Date,
): AsyncGenerator<NamedRow[]> {
  let after: ListPosition | undefined
  for (;;) {
    const page = await findPage(db, { sender: digits }, { after, limit: pageRows, now })
    yield page.filter(({ sender }) => forms.includes(sender))
    const last = page.at(-1)
    if (last === undefined || page.length < pageRows) return
    after = listPositionOf(last)
  }
}
