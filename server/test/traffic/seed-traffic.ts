// 200 clients with uneven traffic and 5,000 numbers in 50 ranges: scattered, so that no index page or counter stays hot.
import { execute, rows, type Db } from '../../src/platform/db.ts'
import { sql } from 'kysely'

/** Fills an empty, migrated database; returns the numbers. */
export async function seedTraffic(db: Db): Promise<string[]> {
  await execute(
    db,
    `insert into users (username, email, first_name, last_name, password_hash, role)
       select 'client' || i, 'c@example.org', 'C', 'C', 'x', 'user' from generate_series(1, 200) i;
     insert into ranges (range_number, start_number, end_number, tariff_micro)
       select 'R' || i, '4477' || lpad(i::text, 2, '0') || '00000', '4477' || lpad(i::text, 2, '0') || '99999', 100000
       from generate_series(0, 49) i;
     insert into numbers (number, holder_id)
       select '4477' || lpad((i % 50)::text, 2, '0') || lpad((i / 50)::text, 5, '0'),
         1 + floor(200 * power(random(), 2))::int
       from generate_series(0, 4999) i;
     insert into number_holders (number_id, user_id, held_from) select id, holder_id, '2020-01-01' from numbers;`,
  )
  return (await rows<{ number: string }>(db, sql`select number from numbers`)).map(({ number }) => number)
}
