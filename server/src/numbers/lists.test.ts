import { inventorySorts } from '@tollgate/contract/numbers/inventory.ts'
import { accountNumberSorts, premiumNumberSorts } from '@tollgate/contract/numbers/numbers.ts'
import { rangeSorts } from '@tollgate/contract/numbers/ranges.ts'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { execute } from '../platform/db.ts'
import { openTestNumbers } from '../../test/traffic/numbers.ts'
import { readSorted } from '../../test/http/pages.ts'

const environment = await openTestNumbers()
const { db } = environment
const support = await environment.person('support')

interface Listed {
  readonly number?: string
  readonly phoneNumber?: string
}

async function numbersAt(path: string): Promise<string[]> {
  const { status, body } = await support.get(path)
  expect(status).toBe(200)
  return body.map(({ number, phoneNumber }: Listed) => number ?? phoneNumber)
}

beforeEach(() =>
  execute(
    db,
    `delete from number_holders; update numbers set deleted_at = now(), holder_id = null;
     update ranges set deleted_at = now()`,
  ),
)

test('a search finds numbers by the columns of its list, and not by those of other lists', async () => {
  const client = await environment.person('user')
  await support.post('/api/premium-numbers', {
    number: '449098790142',
    description: 'Quiz (50 %_off)',
    country: 'United Kingdom',
  })
  const [item] = (await support.get('/api/number-inventory')).body
  await support.put(`/api/number-inventory/${item.id}`, { operator: 'Telco' })
  await support.put(`/api/number-inventory/${item.id}/assign`, { userId: client.id })
  const finds = async (path: string, search: string) =>
    (await numbersAt(`${path}?search=${encodeURIComponent(search)}`)).length === 1
  const accountNumber = (await support.get('/api/numbers')).body[0].accountNumber
  for (const [search, ...found] of [
    ['QUIZ', true, false, true],
    ['%_off', true, false, true],
    ['uiz', true, false, true],
    ['ited king', true, true, false],
    ['elco', false, true, false],
    [client.username, false, true, true],
    [accountNumber, false, false, true],
    ['0987', true, true, true],
    ['+44 909 879-01', true, true, true],
    ['\u202a+44 909/879\u202c', true, true, true],
    ['\u200f\u2066+44 (0)909–879 0142\u2069', true, true, true],
    ['tel:+44909', true, true, true],
    ['٤٤٩٠٩', true, true, true],
    ['0044909', true, true, true],
    ['9', true, true, true],
    // One or two letters are how a word begins.
    ['qu', true, false, true],
    ['K', true, true, false],
    ['ui', false, false, false],
    ['kingdom quiz', false, false, false],
    ['quiz\u2014', false, false, false],
    ['\u00e9', false, false, false],
  ] as const) {
    const answers = [
      await finds('/api/premium-numbers', search),
      await finds('/api/number-inventory', search),
      await finds('/api/numbers', search),
    ]
    expect([search, answers]).toEqual([search, found])
  }
})

test("a holder's new username is found and sorted by at once", async () => {
  const [anna, bert] = [await environment.person('user'), await environment.person('user')]
  for (const [number, { id }] of [
    ['449098790142', anna],
    ['449098790143', bert],
  ] as const) {
    const { body } = await support.post('/api/number-inventory', { number, pricePerSms: '0.50' })
    await support.put(`/api/number-inventory/${body.id}/assign`, { userId: id })
  }
  await sql`update users set username = 'zoe.after' where id = ${anna.id}`.execute(db)
  expect(await numbersAt('/api/numbers?search=zoe.after')).toEqual(['449098790142'])
  expect(await numbersAt('/api/numbers?sort=clientName&order=desc')).toEqual(['449098790142', '449098790143'])
  const [item] = (await support.get('/api/number-inventory?search=zoe')).body
  expect(item.assignedUsername).toBe('zoe.after')
  await support.put(`/api/number-inventory/${item.id}/unassign`)
  expect(await numbersAt('/api/numbers?search=zoe.after')).toEqual([])
})

test.each([
  ['/api/premium-numbers', premiumNumberSorts],
  ['/api/number-inventory', inventorySorts],
  ['/api/numbers', accountNumberSorts],
])('%s pages through every sort, both ways, without skipping or repeating', async (path, sorts) => {
  const digits = Array.from({ length: 7 }, (_, place) => `44909879014${place}`)
  for (const [place, number] of digits.entries())
    await support.post('/api/premium-numbers', {
      number,
      rate: String(place % 3),
      status: place % 2 === 0 ? 'active' : 'suspended',
      type: place % 3 === 0 ? 'toll-free' : 'premium',
    })
  for (const sort of sorts) {
    const listed = await readSorted<Listed>(support, path, sort)
    const seen = listed.map(({ number, phoneNumber }) => number ?? phoneNumber ?? '')
    expect([sort, seen.toSorted()]).toEqual([sort, digits])
  }
})

test('the inventory sorts by price and holder as it shows them', async () => {
  const [anna, bert] = [await environment.person('user'), await environment.person('user')]
  for (const [number, pricePerSms, holder] of [
    ['449098790141', '0.50', bert],
    ['449098790142', '0.05', anna],
    ['449098790143', '0.20', undefined],
    ['449098790144', '0.50', bert],
  ] as const) {
    const { body } = await support.post('/api/number-inventory', { number, pricePerSms })
    if (holder) await support.put(`/api/number-inventory/${body.id}/assign`, { userId: holder.id })
  }
  const by = async (sort: string) =>
    (await readSorted<Listed>(support, '/api/number-inventory', sort)).map(({ number }) => number?.slice(-1))
  expect(await by('pricePerSms')).toEqual(['2', '3', '1', '4'])
  expect(await by('assignedTo')).toEqual(['3', '2', '1', '4'])
})

test('ranges page through every sort, both ways', async () => {
  for (const [place, rate] of ['1', '2', '1', '2', '1'].entries())
    await support.post('/api/ranges', {
      rangeNumber: `R${place}`,
      startNumber: `44${place}000000000`,
      endNumber: `44${place}999999999`,
      rate,
      status: place < 3 ? 'active' : 'suspended',
    })
  for (const sort of rangeSorts) {
    const listed = await readSorted<{ rangeNumber: string }>(support, '/api/ranges', sort)
    expect([sort, listed.map(({ rangeNumber }) => rangeNumber).toSorted()]).toEqual([
      sort,
      ['R0', 'R1', 'R2', 'R3', 'R4'],
    ])
  }
})
