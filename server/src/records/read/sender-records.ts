// All records of one sender, found by the search index: one that only contains the digits is left out.
import type { Db } from '../../platform/db.ts'
import { listPositionOf, type ListPosition, type NamedRow, type WrittenSender } from '../../ingest/index.ts'
import { findPage } from '../search/index.ts'

/** Texts of so many records are in memory at a time. */
const pageRows = 200

/** The records of the sender, newest first, a page at a time; nothing stays open between two pages. */
export async function* recordsOfSender(db: Db, sender: WrittenSender, now: Date): AsyncGenerator<NamedRow[]> {
  let after: ListPosition | undefined
  do {
    const page = await pageOfSender(db, sender, { after, now })
    yield page.records
    after = page.next
  } while (after !== undefined)
}

interface SenderPage {
  readonly records: NamedRow[]
  /** Where the next page begins; undefined at the end. */
  readonly next: ListPosition | undefined
}

/** A page of them, of before `until`. */
export async function pageOfSender(
  db: Db,
  { digits, forms }: WrittenSender,
  {
    after,
    now,
    until,
  }: { readonly after: ListPosition | undefined; readonly now: Date; readonly until?: Date },
): Promise<SenderPage> {
  const found = await findPage(db, { sender: digits, to: until }, { after, limit: pageRows, now })
  const last = found.at(-1)
  return {
    records: found.filter(({ sender }) => forms.includes(sender)),
    next: last === undefined || found.length < pageRows ? undefined : listPositionOf(last),
  }
}
