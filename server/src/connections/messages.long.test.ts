import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestConnections } from '../../test/traffic/connections.ts'
import { openSmsc, type StandInSmsc } from '../../test/stand-ins/smsc.ts'
import { row } from '../platform/db.ts'

const environment = await openTestConnections()
const { db, sendPausesMs, settings, call, add, read, shows } = environment

test('deliver_sm to a number of ours is a record before it is answered; others are refused', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc, { name: 'heard' })
  await shows(id, { status: 'connected' })
  const digits = await environment.number()
  const status = await smsc.deliver({
    source_addr: '447700900999',
    destination_addr: `+${digits}`,
    short_message: 'hello',
  })
  expect(status).toBe(0)
  const stored = await row<{ source: number; name: string }>(
    db,
    sql`select g.source, g.name from records r join numbers n on n.id = r.number_id join gateways g on g.id = r.gateway_id
        where n.number = ${digits}`,
  )
  expect(stored).toEqual({ source: 1, name: 'heard' })
  expect(await smsc.deliver({ source_addr: '1', destination_addr: '447700999999' })).toBe(0x0b)
  await shows(id, { received24h: 2 })
  expect((await read(id)).messagesPerSecond).toBeGreaterThan(0)
})

test('while the database is away the upstream gets a status that makes it send again', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  const digits = await environment.number()
  await environment.pool
    .query('begin; lock table records in access exclusive mode; select 1')
    .catch(() => undefined)
  const blocker = await environment.pool.connect()
  await blocker.query('begin')
  await blocker.query('lock table record_batches in access exclusive mode')
  try {
    expect(await smsc.deliver({ source_addr: '1', destination_addr: digits })).toBe(0x64)
  } finally {
    await blocker.query('rollback')
    blocker.release()
  }
  await expect.poll(() => smsc.deliver({ source_addr: '1', destination_addr: digits })).toBe(0)
})

test('a message sent by hand leaves once, and its receipt finds it, late or early', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc, { answerIdForm: 'hex', receiptIdForm: 'decimal' })
  await shows(id, { status: 'connected' })
  const receipt = (message: number) =>
    smsc.deliver({
      esm_class: 4,
      source_addr: '447700900123',
      destination_addr: 'Tollgate',
      short_message: `id:${message} sub:001 dlvrd:001 stat:DELIVRD err:000 text:`,
    })
  smsc.nextMessageId = 'ff'
  const sent = await call('POST', `/${id}/send`, { from: 'Tollgate', to: '+44 7700 900123', text: 'Grüße' })
  expect([sent.status, sent.body]).toEqual([
    202,
    expect.objectContaining({ status: 'queued', to: '447700900123' }),
  ])
  const last = async () => (await call('GET', `/${id}/sends`)).body[0]
  await expect.poll(last).toMatchObject({ status: 'sent', error: '' })
  expect(smsc.submits).toMatchObject([{ source_addr_ton: 5, destination_addr: '447700900123' }])
  expect(await receipt(255)).toBe(0)
  expect(await last()).toMatchObject({ receipt: 'DELIVRD' })

  expect(await receipt(0x100)).toBe(0)
  smsc.nextMessageId = '100'
  await call('POST', `/${id}/send`, { from: '447700900001', to: '447700900124', text: 'x'.repeat(10) })
  await expect.poll(last).toMatchObject({ status: 'sent', receipt: 'DELIVRD' })
  expect(smsc.submits).toHaveLength(2)
  await shows(id, { sent24h: 2, received24h: 0 })
})

/** Delivers a receipt of the stand-in for the message of this id. */
const receiptFor = (smsc: StandInSmsc, id: string, state: string) =>
  smsc.deliver({
    esm_class: 4,
    source_addr: '447700900123',
    destination_addr: 'Tollgate',
    short_message: `id:${id} sub:001 dlvrd:001 stat:${state} err:000 text:`,
  })

test('a receipt over another connection of the same peer finds its message, late or early', async () => {
  const smsc = await openSmsc()
  const sending = await add(smsc, { bindType: 'transmitter' })
  await shows(sending, { status: 'connected' })
  const receiving = await add(smsc, { bindType: 'receiver' })
  await shows(receiving, { status: 'connected' })
  const last = async () => (await call('GET', `/${sending}/sends`)).body[0]
  smsc.nextMessageId = 'pair-1'
  await call('POST', `/${sending}/send`, { from: '1', to: '447700900123', text: 'late' })
  await expect.poll(last).toMatchObject({ status: 'sent', receipt: '' })
  expect(await receiptFor(smsc, 'pair-1', 'DELIVRD')).toBe(0)
  expect(await last()).toMatchObject({ receipt: 'DELIVRD' })
  expect(await receiptFor(smsc, 'pair-2', 'UNDELIV')).toBe(0)
  smsc.nextMessageId = 'pair-2'
  await call('POST', `/${sending}/send`, { from: '1', to: '447700900123', text: 'early' })
  await expect.poll(last).toMatchObject({ status: 'sent', receipt: 'UNDELIV' })
})

test('a receipt that was overtaken changes nothing, and the parts of a text have one word', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  const last = async () => (await call('GET', `/${id}/sends`)).body[0]
  smsc.messageIds.push('part-1', 'part-2')
  await call('POST', `/${id}/send`, { from: '1', to: '447700900123', text: 'x'.repeat(200) })
  await expect.poll(last).toMatchObject({ status: 'sent', receipt: '' })
  const words: string[] = []
  for (const [part, state] of [
    ['part-1', 'DELIVRD'],
    ['part-2', 'ACCEPTD'],
    ['part-2', 'DELIVRD'],
    ['part-1', 'ENROUTE'],
    ['part-2', 'EXPIRED'],
  ] as const) {
    expect(await receiptFor(smsc, part, state)).toBe(0)
    words.push((await last()).receipt)
  }
  expect(words).toEqual(['ENROUTE', 'ACCEPTD', 'DELIVRD', 'DELIVRD', 'DELIVRD'])
})

test('an upstream that throttles, answers twice, wrongly or never fails only that message', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  const send = async (answering: StandInSmsc['answering']) => {
    smsc.answering = answering
    const { body } = await call('POST', `/${id}/send`, { from: '1', to: '447700900123', text: answering })
    const sent = async () =>
      (await call('GET', `/${id}/sends`)).body.find((each: { id: string }) => each.id === body.id)
    await expect.poll(async () => (await sent()).status).toMatch(/sent|failed/)
    return sent()
  }
  expect(await send('throttled')).toMatchObject({
    status: 'failed',
    errorCode: 0x58,
    error: 'Throttling error: allowed message limits exceeded (0x58); tried 3 times',
  })
  expect(await send('twice')).toMatchObject({ status: 'sent', error: '' })
  for (const answering of ['with another command', 'never'] as const)
    expect(await send(answering), answering).toMatchObject({
      status: 'failed',
      error: 'The gateway did not answer in time; it may have left.',
    })
  expect(await send('well')).toMatchObject({ status: 'sent', error: '' })
  expect(smsc.submits).toHaveLength(7)
  expect(smsc.binds).toHaveLength(1)
  await shows(id, { status: 'connected', sent24h: 2 })
})

test.each([
  ['throttled', 0x58],
  ['full', 0x14],
] as const)('what a gateway that is %s did not take goes again, and leaves once', async (busy, code) => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  smsc.scripted = [busy, busy]
  await call('POST', `/${id}/send`, { from: '1', to: '447700900123', text: 'patience' })
  const last = async () => (await call('GET', `/${id}/sends`)).body[0]
  await expect.poll(last).toMatchObject({ status: 'sending', errorCode: code })
  await expect.poll(last).toMatchObject({ status: 'sent', errorCode: null, error: '' })
  expect(smsc.submits).toHaveLength(3)
  await shows(id, { sent24h: 1 })
})

test.each(['full', 'never'] as const)(
  'a message whose answer is %s keeps none of the others of its link waiting',
  async (answering) => {
    const smsc = await openSmsc()
    // Longer than a busy machine needs for the others.
    settings.responseMs = 5_000
    const id = await add(smsc)
    await shows(id, { status: 'connected' })
    settings.responseMs = 1_000
    sendPausesMs.unshift(60_000)
    smsc.answeringTo.set('447700900100', answering)
    const send = (to: string) => call('POST', `/${id}/send`, { from: '1', to, text: 'x' })
    await send('447700900100')
    await Promise.all(['447700900101', '447700900102', '447700900103'].map(send))
    const sends = async () => (await call('GET', `/${id}/sends`)).body.toReversed()
    const sent = { status: 'sent', error: '' }
    await expect.poll(sends).toMatchObject([{}, sent, sent, sent])
    sendPausesMs.shift()
    await call('POST', `/${id}/disconnect`)
    await expect.poll(sends).toMatchObject([{ status: 'failed' }, sent, sent, sent])
    const [last, ...before] = (await sends()).map((each: { doneAt: string }) => each.doneAt)
    expect(before.filter((doneAt: string) => doneAt >= last)).toEqual([])
  },
)

test('a throttled link pauses for a second, then sends on, the refused message too', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  smsc.scripted = ['throttled']
  await call('POST', `/${id}/send`, { from: '1', to: '447700900100', text: 'x' })
  await expect.poll(() => smsc.submits.length).toBe(1)
  for (const to of ['447700900101', '447700900102'])
    await call('POST', `/${id}/send`, { from: '1', to, text: 'x' })
  const sends = async () => (await call('GET', `/${id}/sends`)).body
  const sent = { status: 'sent', errorCode: null }
  await expect.poll(sends).toMatchObject([sent, sent, sent])
  const [refusedAtMs = 0, ...laterMs] = smsc.submittedAtMs
  expect(laterMs).toHaveLength(3)
  expect(Math.min(...laterMs) - refusedAtMs).toBeGreaterThan(950)
  expect(new Set(smsc.submits.map((pdu) => pdu['destination_addr'])).size).toBe(3)
})

test('of a long message only the refused segment is sent again', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  smsc.scripted = ['well', 'throttled']
  await call('POST', `/${id}/send`, { from: '1', to: '447700900123', text: 'x'.repeat(200) })
  const last = async () => (await call('GET', `/${id}/sends`)).body[0]
  await expect.poll(last).toMatchObject({ status: 'sent' })
  const places = smsc.submits.map((pdu) => (pdu['short_message'] as { udh: Buffer[] }).udh[0]?.at(-1))
  expect(places).toEqual([1, 2, 2])
})

test('a stopped link does not wait for a message in its pause, and shows its result', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  sendPausesMs.unshift(60_000)
  smsc.answering = 'throttled'
  await call('POST', `/${id}/send`, { from: '1', to: '447700900123', text: 'wait' })
  await expect.poll(() => smsc.submits.length).toBe(1)
  sendPausesMs.shift()
  await call('POST', `/${id}/disconnect`)
  await shows(id, { status: 'disconnected' })
  expect((await call('GET', `/${id}/sends`)).body[0]).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('given up before it could go again'),
  })
})

test('nothing is sent over a link that is not connected', async () => {
  const smsc = await openSmsc()
  smsc.behaviour = 'wrong-password'
  const id = await add(smsc)
  await shows(id, { status: 'error' })
  const answer = await call('POST', `/${id}/send`, { from: '1', to: '447700900123', text: 'x' })
  expect([answer.status, answer.body.message]).toEqual([
    409,
    'Cannot send SMS - No active SMPP connections available. Authentication must be resolved first.',
  ])
})
