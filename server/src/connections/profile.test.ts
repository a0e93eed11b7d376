import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openTestConnections } from '../../test/traffic/connections.ts'
import { secrets } from '../../test/traffic/gateway.ts'
import { openSmsc } from '../../test/stand-ins/smsc.ts'
import { readBody } from '../ingest/index.ts'

const environment = await openTestConnections()
const { db, call, add, read, shows } = environment

const profile = {
  defaultAlphabet: 'latin1',
  useNationalTables: true,
  isStrict: false,
  receiveWindow: 7,
  sendWindow: 3,
  enquireLinkSeconds: 60,
  allowedCidrs: ['127.0.0.0/8', '192.0.2.7'],
}

test('a connection has a profile, which is shown, changed and written to the audit log', async () => {
  const id = await add(await openSmsc())
  expect(await read(id)).toMatchObject({
    defaultAlphabet: 'gsm7',
    useNationalTables: false,
    isStrict: false,
    receiveWindow: 50,
    sendWindow: null,
    enquireLinkSeconds: null,
    allowedCidrs: [],
  })
  expect((await call('PUT', `/${id}`, profile)).body).toMatchObject(profile)
  expect((await call('PUT', `/${id}`, { sendWindow: null, allowedCidrs: [] })).body).toMatchObject({
    ...profile,
    sendWindow: null,
    allowedCidrs: [],
  })
})

test.each([
  ['defaultAlphabet', 'ebcdic'],
  ['receiveWindow', 0],
  ['sendWindow', 101],
  ['enquireLinkSeconds', 4],
  ['allowedCidrs', ['192.0.2.0/33']],
  ['isStrict', 'perhaps'],
])('%s %j is refused by its name', async (field, value) => {
  const id = await add(await openSmsc())
  const { status, body } = await call('PUT', `/${id}`, { [field]: value })
  expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
})

test('a host outside the allowed networks is not connected to: the list fails closed', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc, { allowedCidrs: ['192.0.2.0/24'] })
  await shows(id, { status: 'error', lastError: expect.stringContaining('networks') })
  expect(smsc.binds).toEqual([])
  await call('PUT', `/${id}`, { allowedCidrs: ['127.0.0.1'] })
  await shows(id, { status: 'connected' })
})

test('coding 0 of an upstream is read and written in its alphabet, and a lenient link takes reserved values', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc, { defaultAlphabet: 'latin1', isStrict: false })
  await shows(id, { status: 'connected' })
  const digits = await environment.number()
  const octets = Buffer.from('caf\u00e9 @', 'latin1')
  expect(
    await smsc.deliver({
      source_addr: '1',
      destination_addr: digits,
      source_addr_ton: 9,
      short_message: octets,
    }),
  ).toBe(0)
  const [record] = await environment.recordsTo(digits)
  const raw = await readBody(db, secrets, BigInt((record as { id: string }).id))
  expect(raw).toMatchObject({ defaultAlphabet: 'latin1', sent: { sourceAddrTon: 9 } })
  await call('POST', `/${id}/send`, { from: 'ACME', to: '4477009001', text: 'caf\u00e9 @' })
  await expect.poll(() => smsc.submits.length).toBe(1)
  expect(smsc.submits[0]).toMatchObject({ data_coding: 0 })
})

test('what we send uses the national tables where the connection allows it, else UCS-2', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  const send = async (count: number) => {
    await shows(id, { status: 'connected' })
    await call('POST', `/${id}/send`, { from: 'ACME', to: '4477009001', text: '\u015f' })
    await expect.poll(() => smsc.submits.length).toBe(count)
    return smsc.submits[count - 1]
  }
  expect(await send(1)).toMatchObject({ data_coding: 8, esm_class: 0 })
  await call('PUT', `/${id}`, { useNationalTables: true })
  await expect.poll(() => smsc.binds.length).toBe(2)
  // Turkish, single shift: header, escape, septet.
  expect(await send(2)).toMatchObject({ data_coding: 0, esm_class: 0x40 })
})

test('a name that GSM has no room for is refused by a strict connection and taken by a lenient one', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc, { isStrict: true })
  await shows(id, { status: 'connected' })
  const digits = await environment.number()
  const from = (name: string) =>
    smsc.deliver({ source_addr: name, source_addr_ton: 5, destination_addr: digits, short_message: 'x' })
  expect(await from('ACME Bank 1')).toBe(0)
  expect([await from('ACME Bank 12'), await from('[ACME] Bank')]).toEqual([0x0a, 0x0a])
  await call('PUT', `/${id}`, { isStrict: false })
  // The bind is made anew for it, so one that is sent now may get no answer.
  const sent = () => Promise.race([from('ACME Bank 12'), sleep(1_000)])
  await expect.poll(() => sent().catch(() => undefined)).toBe(0)
})
