// Numbers in stock as clients see them: what is offered, and taking one.
import { expect, test } from 'vitest'
import type { StockOffer } from '@tollgate/contract/vocabulary.ts'
import { openTestNumbers } from '../../../test/traffic/numbers.ts'

async function openEnvironment() {
  const setting: { offer: StockOffer } = { offer: 'off' }
  const environment = await openTestNumbers({
    stockOffer: async () => setting.offer,
    stockTakesPerDay: async () => 2,
  })
  const support = await environment.person('support')
  return {
    ...environment,
    setting,
    support,
    alice: await environment.person('user'),
    bob: await environment.person('user'),
    stock: async (number: string, pricePerSms: string): Promise<string> =>
      (await support.post('/api/number-inventory', { number, pricePerSms })).body.id,
  }
}
const numbersOf = (list: { number: string }[]) => list.map(({ number }) => number)

test('clients see what is offered, by digits, country, type and price, and nothing while stock is off', async () => {
  const { alice, bob, person, setting, stock, support } = await openEnvironment()
  await stock('4790000001', '0.10')
  await stock('4790000002', '0.30')
  const held = await stock('4690000003', '0.20')
  await support.put(`/api/number-inventory/${held}/assign`, { userId: bob.id })
  await support.post('/api/premium-numbers', { number: '4790000004' })
  expect((await alice.get('/api/number-stock')).body).toEqual([])
  expect((await alice.get('/api/number-stock/terms')).body).toEqual({
    offer: 'off',
    takesLeft: 0,
    countries: [],
  })
  // Staff see it before.
  expect((await support.get('/api/number-stock')).body).toHaveLength(2)
  setting.offer = 'request'
  for (const [query, found] of [
    ['', ['4790000002', '4790000001']],
    ['?order=asc', ['4790000001', '4790000002']],
    ['?search=0002', ['4790000002']],
    ['?search=norw', ['4790000002', '4790000001']],
    ['?country=Norway&type=premium', ['4790000002', '4790000001']],
    ['?type=standard', []],
    ['?priceMin=0.2', ['4790000002']],
  ] as const) {
    const { body } = await alice.get(`/api/number-stock${query}`)
    expect.soft([query, body.message ?? numbersOf(body)]).toEqual([query, found])
  }
  expect((await alice.get('/api/number-stock/terms')).body).toMatchObject({
    offer: 'request',
    countries: ['Norway'],
  })
  expect((await (await person('test')).get('/api/number-stock')).status).toBe(403)
})

test('a number is taken once, whoever takes it at the same time, and only where taking is allowed', async () => {
  const { alice, bob, setting, stock, support } = await openEnvironment()
  setting.offer = 'request'
  const id = await stock('4790000011', '0.10')
  expect((await alice.put(`/api/number-stock/${id}/take`)).body).toMatchObject({ code: 'wrong_state' })
  setting.offer = 'take'
  const answers = await Promise.all(
    [alice, bob, alice, bob].map((who) => who.put(`/api/number-stock/${id}/take`)),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
  const winner = answers[0]?.status === 200 || answers[2]?.status === 200 ? alice : bob
  expect(numbersOf((await alice.get('/api/number-stock?search=4790000011')).body)).toEqual([])
  const mine = await winner.get('/api/numbers?search=4790000011')
  expect(mine.body).toMatchObject([{ id, clientName: winner.username, usdPerSms: '0.1' }])
  // A number without a price is not offered, and one that does not exist is not there.
  const plain = (await support.post('/api/premium-numbers', { number: '4790000012' })).body.id
  expect((await alice.put(`/api/number-stock/${plain}/take`)).status).toBe(409)
  expect((await alice.put('/api/number-stock/999999/take')).status).toBe(404)
})

test('one client takes so many numbers in a day, and not two more at once', async () => {
  const { alice: carol, setting, stock } = await openEnvironment()
  setting.offer = 'take'
  const ids = [
    await stock('4790000021', '0.1'),
    await stock('4790000022', '0.1'),
    await stock('4790000023', '0.1'),
  ]
  const answers = await Promise.all(ids.map((id) => carol.put(`/api/number-stock/${id}/take`)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 409])
  expect((await carol.get('/api/number-stock/terms')).body).toMatchObject({ offer: 'take', takesLeft: 0 })
})
