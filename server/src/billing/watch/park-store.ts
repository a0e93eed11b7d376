// SQL on parked accounts and ledger checks.
import { sql } from 'kysely'
import { inEnglish, quote, type Sentence } from '@tollgate/contract/sentences.ts'
import { changed, row, rows, type Db } from '../../platform/db.ts'

interface ParkRow {
  readonly user_id: number
  readonly username: string
  readonly reason: string
  readonly words: readonly Sentence[]
  readonly parked_at: Date
}

type RawPark = Omit<ParkRow, 'words'> & { readonly words: readonly Sentence[] | null; readonly total: number }

/** The accounts that are parked longest, and how many are parked in all. */
export async function listParks(db: Db): Promise<{ readonly parks: ParkRow[]; readonly total: number }> {
  const found = await rows<RawPark>(
    db,
    sql`select p.user_id, u.username, p.reason, p.words, p.parked_at, (count(*) over ())::int as total
        from parked_accounts p join users u on u.id = p.user_id order by p.parked_at, p.user_id limit 500`,
  )
  return {
    parks: found.map((each) => ({ ...each, words: each.words ?? [quote(each.reason)] })),
    total: found[0]?.total ?? 0,
  }
}

/** Why the account is parked; undefined when it is not. */
export async function findPark(db: Db, userId: number): Promise<readonly Sentence[] | undefined> {
  const found = await db
    .selectFrom('parked_accounts')
    .select(['reason', 'words'])
    .where('user_id', '=', userId)
    .$narrowType<{ words: readonly Sentence[] | null }>()
    .executeTakeFirst()
  return found && (found.words ?? [quote(found.reason)])
}

/** Parks an account. False when it is parked already, or does not exist. */
export async function park(tx: Db, userId: number, words: readonly Sentence[], at: Date): Promise<boolean> {
  return (
    (await changed(
      tx,
      sql`insert into parked_accounts (user_id, reason, words, parked_at)
          select id, ${inEnglish(...words)}, ${JSON.stringify(words)}::jsonb, ${at}::timestamptz from users where id = ${userId} on conflict do nothing`,
    )) === 1
  )
}

export async function unpark(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom('parked_accounts').where('user_id', '=', userId).execute()
}

export async function putCheck(tx: Db, at: Date, imbalanceMicro: bigint): Promise<void> {
  await tx
    .insertInto('ledger_checks')
    .values({ checked_at: at, imbalance_micro: imbalanceMicro })
    .onConflict((oc) =>
      oc.column('only_row').doUpdateSet({ checked_at: at, imbalance_micro: imbalanceMicro }),
    )
    .execute()
}

interface CheckRow {
  readonly checked_at: Date
  readonly imbalance_micro: string
  readonly parked_count: number
}

export function findCheck(db: Db): Promise<CheckRow | undefined> {
  return row(
    db,
    sql`select checked_at, imbalance_micro, (select count(*)::int from parked_accounts) as parked_count
        from ledger_checks`,
  )
}
