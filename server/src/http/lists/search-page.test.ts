import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/environment/database.ts'
import { execute, rows } from '../../platform/db.ts'
import { searchPage } from './search-page.ts'
import { textContains } from './search-pattern.ts'

const { db } = await openTestDatabase()
// 9,000 words: common at both ends of the list, rare in its middle, and one that stands at the far end alone.
await execute(
  db,
  `create table words (id int primary key, word text not null);
   insert into words select i, case when i % 3000 = 7 then 'rare' when i > 8900 then 'far' else 'common' end
     from generate_series(1, 9000) i;
   analyze words`,
)

async function page(typed: string, after = 0, limit = 50): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    searchPage({
      columns: sql`n.id`,
      table: sql`words`,
      listed: sql`n.id > ${after}`,
      filter: textContains(sql`n.word`, sql`n.id`, typed),
      orderBy: sql`n.id`,
      limit,
    }),
  )
  return found.map(({ id }) => id)
}

test('a common word, a rare one, one at the far end and none are all found in the order of the list', async () => {
  const first50 = Array.from({ length: 51 }, (_, place) => place + 1).filter((id) => id !== 7)
  expect(await page('common')).toEqual(first50)
  expect(await page('rare')).toEqual([7, 3007, 6007])
  expect(await page('far')).toEqual(Array.from({ length: 50 }, (_, place) => 8901 + place))
  expect(await page('none')).toEqual([])
})

test('pages of a word follow each other without skipping or repeating', async () => {
  const seen: number[] = []
  for (let found = await page('far', 0, 33); found.length > 0; found = await page('far', seen.at(-1), 33))
    seen.push(...found)
  expect(seen).toEqual(Array.from({ length: 100 }, (_, place) => 8901 + place))
})
