import { expect, test } from 'vitest'
import { requestSorts, type NumberRequest } from '@tollgate/contract/numbers/requests.ts'
import { expectedVolumes, requestStatuses } from '@tollgate/contract/vocabulary.ts'
import { openTestNumbers } from '../../../test/traffic/numbers.ts'
import { readSorted } from '../../../test/http/pages.ts'

/** Support and two users, with what they do in these tests. Requests are Alice's. */
async function openEnvironment() {
  const environment = await openTestNumbers()
  const { person } = environment
  const support = await person('support')
  const [alice, bob] = [await person('user'), await person('user')]
  return {
    ...environment,
    support,
    alice,
    bob,
    aRequest: async (extra: object = {}) => {
      const request = { businessPurpose: 'Quiz show', expectedVolume: '50-200', ...extra }
      return (await alice.post('/api/number-requests', request)).body
    },
    process: (id: string, body: object) => support.put(`/api/number-requests/${id}/process`, body),
    stock: (number: string) => support.post('/api/number-inventory', { number }),
  }
}

test('a request is seen only by the user who made it and by support, and counted', async () => {
  const { aRequest, alice, bob, support } = await openEnvironment()
  const made = await aRequest({ requestedNumber: '', preferredCountry: 'Germany', countryCode: '49' })
  expect(made).toMatchObject({
    userId: alice.id,
    userName: alice.username,
    userEmail: `${alice.username}@example.com`,
    status: 'pending',
    countryCode: '+49',
    assignedNumber: '',
    processedAt: null,
  })
  expect((await alice.get('/api/number-requests')).body).toEqual([made])
  expect((await bob.get('/api/number-requests')).body).toEqual([])
  expect((await bob.get('/api/number-requests/all')).status).toBe(403)
  expect(
    (await support.get(`/api/number-requests/all?search=${alice.username}&status=waiting`)).body,
  ).toEqual([made])
  expect((await alice.get('/api/number-requests/summary')).body).toEqual({
    pending: 1,
    open: 1,
    approved: 0,
    rejected: 0,
    total: 1,
  })
  for (const [field, body] of [
    ['businessPurpose', { businessPurpose: ' ', expectedVolume: '1-50' }],
    ['expectedVolume', { businessPurpose: 'x', expectedVolume: '7' }],
    ['requestedNumber', { businessPurpose: 'x', expectedVolume: '1-50', requestedNumber: 'none' }],
  ] as const) {
    const refused = await alice.post('/api/number-requests', body)
    expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, [field]])
  }
})

test('a rejection needs a reason, and ends the request', async () => {
  const { aRequest, alice, process, requestEvents } = await openEnvironment()
  const { id } = await aRequest()
  expect((await process(id, { action: 'reject' })).body.fields).toEqual({
    rejectionReason: expect.any(String),
  })
  const rejected = await process(id, { action: 'reject', rejectionReason: 'No such numbers' })
  expect(rejected.body).toMatchObject({ status: 'rejected', rejectionReason: 'No such numbers' })
  expect(rejected.body.processedAt).not.toBeNull()
  for (const action of ['approve', 'assign', 'reject'])
    expect((await process(id, { action, rejectionReason: 'again' })).status).toBe(409)
  expect((await process('999999', { action: 'approve' })).status).toBe(404)
  expect(requestEvents.at(-1)).toEqual({
    requestId: id,
    userId: alice.id,
    status: 'rejected',
    assignedNumber: '',
  })
})

test('an approved request gets a number of the inventory, and the user holds it', async () => {
  const { aRequest, alice, process, requestEvents, stock } = await openEnvironment()
  await stock('499001111111')
  const { id } = await aRequest({ requestedNumber: '499001111111' })
  expect((await process(id, { action: 'approve' })).body).toMatchObject({ status: 'approved' })
  expect((await process(id, { action: 'approve' })).status).toBe(409)
  const unknown = await process(id, { action: 'assign', assignedNumber: '499009999999' })
  expect([unknown.status, unknown.body.fields]).toMatchObject([400, { assignedNumber: expect.any(String) }])
  const assigned = await process(id, { action: 'assign', assignedNumber: '+49 900 1111111' })
  expect(assigned.body).toMatchObject({ status: 'assigned', assignedNumber: '499001111111' })
  expect((await alice.get('/api/numbers?search=499001111111')).body).toHaveLength(1)
  expect(requestEvents.at(-1)).toMatchObject({ status: 'assigned', assignedNumber: '499001111111' })
  expect((await alice.get('/api/number-requests/summary')).body).toMatchObject({ approved: 1, rejected: 0 })
  const second = await aRequest()
  const taken = await process(second.id, { action: 'assign', assignedNumber: '499001111111' })
  expect(taken.status).toBe(409)
  expect((await alice.get('/api/number-requests')).body[0]).toMatchObject({
    id: second.id,
    status: 'pending',
  })
})

test('offers are available numbers that fit, the requested one first; assign without a number takes the first', async () => {
  const { aRequest, process, stock, support } = await openEnvironment()
  for (const number of ['4790000001', '4790000002', '4790000003', '4690000001']) await stock(number)
  const request = await aRequest({
    requestedNumber: '4790000002',
    preferredCountry: 'Norway',
    countryCode: '+47',
  })
  const offers = await support.get(`/api/number-requests/${request.id}/offers`)
  expect(offers.body.map((item: { number: string }) => item.number)).toEqual([
    '4790000002',
    '4790000001',
    '4790000003',
  ])
  expect((await process(request.id, { action: 'assign' })).body.assignedNumber).toBe('4790000002')
  const elsewhere = await aRequest({ preferredCountry: 'Brazil', countryCode: '+55' })
  expect((await support.get(`/api/number-requests/${elsewhere.id}/offers`)).body).toEqual([])
  expect((await process(elsewhere.id, { action: 'assign' })).status).toBe(409)
  expect((await support.get('/api/number-requests/999999/offers')).status).toBe(404)
})

test('for a short code only that code is offered, and numbers of the country, not any number of the stock', async () => {
  const { aRequest, process, stock, support } = await openEnvironment()
  await stock('447700000001')
  const request = await aRequest({
    requestedNumber: '1234',
    preferredCountry: 'France',
    countryCode: '+33',
  })
  const offers = async () =>
    (await support.get(`/api/number-requests/${request.id}/offers`)).body.map(
      (item: { number: string }) => item.number,
    )
  expect(await offers()).toEqual([])
  expect((await process(request.id, { action: 'assign' })).status).toBe(409)
  await stock('33170000001')
  await stock('1234')
  expect(await offers()).toEqual(['1234', '33170000001'])
  expect((await process(request.id, { action: 'assign' })).body.assignedNumber).toBe('1234')
})

test('the queue is exported under its filters, in the order of the list, safe for a spreadsheet', async () => {
  const { aRequest, alice, process, support } = await openEnvironment()
  await aRequest({ businessPurpose: '=HYPERLINK("x")', preferredCountry: 'Atlantis' })
  const { id } = await aRequest({ businessPurpose: 'Vote, live', preferredCountry: 'Atlantis' })
  await process(id, { action: 'reject', rejectionReason: 'None left' })
  const { headers, text } = await support.get('/api/number-requests/all/export?search=atlantis')
  expect(headers['content-disposition']).toBe('attachment; filename="number-requests.csv"')
  const [head, newest, oldest, ...rest] = text.split('\r\n')
  expect(head).toMatch(/^Date & Time,User,Email,Requested Number,.*,Rejection Reason,Processed At$/)
  expect(newest).toContain(`,${alice.username},${alice.username}@example.com,,Atlantis,,"Vote, live",50-200,`)
  expect(newest).toContain(',rejected,,None left,')
  expect(oldest).toContain(`"'=HYPERLINK(""x"")",50-200,pending,,,`)
  expect(rest).toEqual([''])
  expect((await alice.get('/api/number-requests/all/export')).status).toBe(403)
})

test('of several decisions at once one counts', async () => {
  const { aRequest, process, stock, support } = await openEnvironment()
  for (let turn = 0; turn < 5; turn += 1) {
    const number = `3590000${turn}000`
    await stock(number)
    const { id } = await aRequest()
    const answers = await Promise.all([
      process(id, { action: 'assign', assignedNumber: number }),
      process(id, { action: 'reject', rejectionReason: 'no' }),
      process(id, { action: 'assign', assignedNumber: number }),
    ])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    const { body } = await support.get(`/api/number-inventory?search=${number}`)
    const isRejected = answers[1]?.status === 200
    expect(body[0].status).toBe(isRejected ? 'available' : 'assigned')
  }
})

test('the queue and the own requests page through every sort, both ways, also over equal values', async () => {
  const { alice, person, process, support } = await openEnvironment()
  const carla = await person('user')
  for (const [place, requestedNumber] of ['', '4990099002', '4990099001', '', '4990099001'].entries()) {
    const wish = { businessPurpose: 'Pages', requestedNumber }
    const { body } = await carla.post('/api/number-requests', {
      ...wish,
      expectedVolume: expectedVolumes[(place * 3) % 4],
    })
    await alice.post('/api/number-requests', { ...wish, expectedVolume: '1000+' })
    if (place % 2 === 0) await process(body.id, { action: 'approve' })
  }
  const shown: Record<(typeof requestSorts)[number], (request: NumberRequest) => string | number> = {
    createdAt: ({ id }) => Number(id),
    userName: ({ userName }) => userName,
    requestedNumber: ({ requestedNumber }) => requestedNumber,
    expectedVolume: ({ expectedVolume }) => expectedVolumes.indexOf(expectedVolume as '1-50'),
    status: ({ status }) => requestStatuses.indexOf(status),
  }
  for (const sort of requestSorts)
    for (const [person, path, count] of [
      [support, '/api/number-requests/all?search=Pages', 10],
      [carla, '/api/number-requests', 5],
    ] as const) {
      const listed = await readSorted(person, path, sort, shown[sort])
      expect([sort, new Set(listed.map(({ id }) => id)).size]).toEqual([sort, count])
    }
  expect((await support.get('/api/number-requests/all?sort=businessPurpose')).status).toBe(400)
  const { next } = await support.get('/api/number-requests/all?limit=2&sort=userName')
  expect((await support.get(next!.replace('sort=userName', 'sort=createdAt'))).status).toBe(400)
})

test('many requests are decided at once; one that was decided meanwhile is left unchanged and reported', async () => {
  const { aRequest, alice, process, requestEvents, support } = await openEnvironment()
  const ids = [(await aRequest()).id, (await aRequest()).id, (await aRequest()).id]
  await process(ids[1], { action: 'reject', rejectionReason: 'Twice' })
  const many = (body: object) => support.post('/api/number-requests/process', { ids, ...body })
  const earlierCount = requestEvents.length
  const approved = await many({ action: 'approve' })
  expect(approved.body.done).toMatchObject([
    { id: ids[0], status: 'approved' },
    { id: ids[2], status: 'approved' },
  ])
  expect(approved.body.refused).toMatchObject([
    {
      id: ids[1],
      message: expect.stringContaining('already rejected'),
      words: [{ values: { status: { text: 'rejected' } } }],
    },
  ])
  expect(requestEvents.slice(earlierCount).map(({ requestId }) => requestId)).toEqual([ids[0], ids[2]])
  expect((await many({ action: 'reject' })).body.fields).toEqual({ rejectionReason: expect.any(String) })
  const rejected = await many({ action: 'reject', rejectionReason: 'No stock', ids: [...ids, '999999'] })
  expect(rejected.body.done).toMatchObject([
    { status: 'rejected', rejectionReason: 'No stock' },
    { status: 'rejected', rejectionReason: 'No stock' },
  ])
  expect(rejected.body.refused.map(({ id }: { id: string }) => id)).toEqual([ids[1], '999999'])
  const file = await support.post('/api/number-requests/all/export', { ids: [ids[0], ids[2]] })
  expect(file.text.trim().split('\n')).toHaveLength(3)
  expect((await alice.post('/api/number-requests/process', { ids, action: 'approve' })).status).toBe(403)
  for (const bad of [{ action: 'assign' }, { action: 'approve', ids: [] }])
    expect((await many(bad)).status).toBe(400)
})

test('a request that two people decide at once, each with others, is decided once', async () => {
  const { aRequest, support } = await openEnvironment()
  const ids = [(await aRequest()).id, (await aRequest()).id, (await aRequest()).id, (await aRequest()).id]
  const answers = await Promise.all(
    [ids, ids.toReversed()].map((mine) =>
      support.post('/api/number-requests/process', { ids: mine, action: 'approve' }),
    ),
  )
  const counts = answers.map(({ body }) => [body.done.length, body.refused.length])
  expect(counts).toHaveLength(2)
  for (const expected of [
    [4, 0],
    [0, 4],
  ])
    expect(counts).toContainEqual(expected)
})

test('a request is changed and withdrawn by who made it, until it is decided', async () => {
  const { aRequest, alice, bob, process, requestEvents, support } = await openEnvironment()
  const { id } = await aRequest()
  const changed = {
    requestedNumber: '',
    preferredCountry: 'Norway',
    businessPurpose: 'Votes',
    expectedVolume: '1-50',
  }
  expect((await bob.put(`/api/number-requests/${id}`, changed)).status).toBe(404)
  expect((await support.put(`/api/number-requests/${id}/withdraw`)).status).toBe(404)
  expect((await alice.put(`/api/number-requests/${id}`, { ...changed, businessPurpose: '' })).status).toBe(
    400,
  )
  expect((await alice.put(`/api/number-requests/${id}`, changed)).body).toMatchObject({
    id,
    status: 'pending',
    preferredCountry: 'Norway',
    businessPurpose: 'Votes',
  })
  await process(id, { action: 'approve' })
  // Staff read the request that they approved.
  expect((await alice.put(`/api/number-requests/${id}`, changed)).status).toBe(409)
  expect((await alice.put(`/api/number-requests/${id}/withdraw`)).body).toMatchObject({
    id,
    status: 'withdrawn',
  })
  expect(requestEvents.at(-1)).toMatchObject({ requestId: id, status: 'withdrawn' })
  for (const act of ['approve', 'assign', 'reject'])
    expect((await process(id, { action: act, rejectionReason: 'x' })).status).toBe(409)
  expect((await alice.put(`/api/number-requests/${id}/withdraw`)).status).toBe(409)
  expect((await alice.get('/api/number-requests/summary')).body).toMatchObject({ pending: 0, total: 1 })
})
