import { beforeEach, expect, test } from 'vitest'
import { execute } from '../platform/db.ts'
import { openTestNumbers } from '../../test/traffic/numbers.ts'

const environment = await openTestNumbers()
const { db } = environment
const support = await environment.person('support')

beforeEach(() =>
  execute(
    db,
    `delete from number_holders; update numbers set deleted_at = now(), holder_id = null;
     update ranges set deleted_at = now()`,
  ),
)

test('chosen rows are exported like the whole list, and only rows that the list shows', async () => {
  const [anna, bert] = [await environment.person('user'), await environment.person('user')]
  const masked = await environment.person('test')
  const ids: string[] = []
  for (const [place, holder] of [anna, bert, masked].entries()) {
    const { body } = await support.post('/api/premium-numbers', {
      number: `44909879014${place}`,
      description: '=1+1',
    })
    await support.put(`/api/number-inventory/${body.id}/assign`, { userId: holder.id })
    ids.push(body.id)
  }
  await support.post('/api/ranges', {
    rangeNumber: '=R1',
    startNumber: '449090000000',
    endNumber: '449099999999',
  })
  const [range] = (await support.get('/api/ranges')).body
  for (const [path, chosen, count] of [
    ['/api/premium-numbers/export', [ids[2], ids[0]], 2],
    ['/api/number-inventory/export', [ids[1], ids[1]], 1],
    ['/api/numbers/export', ids, 3],
    ['/api/ranges/export', [range.id], 1],
    ['/api/ranges/export', ['999999999999999999'], 0],
  ] as const) {
    const whole = await support.get(path)
    const some = await support.post(path, { ids: chosen })
    const lines = some.text.trimEnd().split('\r\n')
    const all = whole.text.trimEnd().split('\r\n')
    expect([path, some.status, lines.length]).toEqual([path, 200, 1 + count])
    // The same lines in the same order, others left out.
    expect(all.filter((line) => lines.includes(line))).toEqual(lines)
    for (const header of ['content-disposition', 'content-type'])
      expect(some.headers[header]).toBe(whole.headers[header])
  }
  const own = await anna.post('/api/numbers/export', { ids })
  expect(own.text).toContain(`,449098790140,`)
  expect(own.text).toContain(",'=1+1\r\n")
  expect(own.text.trimEnd().split('\r\n')).toHaveLength(2)
  expect((await masked.post('/api/numbers/export', { ids })).text).not.toMatch(/4490987901\d/)
  expect((await anna.post('/api/premium-numbers/export', { ids })).status).toBe(403)
  for (const wrong of [[], ['x'], Array.from({ length: 5_001 }, (_, place) => String(place))])
    expect((await support.post('/api/premium-numbers/export', { ids: wrong })).status).toBe(400)
})
