import { expect, test } from 'vitest'
import { openConnectionsBench } from '../../../test/connections.ts'
import { secrets } from '../../../test/gateway.ts'
import { openSmsc } from '../../../test/smsc.ts'
import { readBody } from '../../records/index.ts'

const bench = await openConnectionsBench()
const { db, call, add, read, shows } = bench

const profile = {
  defaultAlphabet: 'latin1',
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
    isStrict: true,
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
  const digits = await bench.number()
  const octets = Buffer.from('caf\u00e9 @', 'latin1')
  expect(
    await smsc.deliver({
      source_addr: '1',
      destination_addr: digits,
      source_addr_ton: 9,
      short_message: octets,
    }),
  ).toBe(0)
  const [record] = await bench.recordsTo(digits)
  const raw = await readBody(db, secrets, BigInt((record as { id: string }).id))
  expect(raw).toMatchObject({ defaultAlphabet: 'latin1', sent: { sourceAddrTon: 9 } })
  await call('POST', `/${id}/send`, { from: 'ACME', to: '4477009001', text: 'caf\u00e9 @' })
  await expect.poll(() => smsc.submits.length).toBe(1)
  expect(smsc.submits[0]).toMatchObject({ data_coding: 0 })
})
