// Legal entities: who may save whose, in which scripts, and what invoices can print.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { anEntity, openTestInvoices } from '../../test/money/invoices.ts'
import { rows } from '../platform/db.ts'

const environment = await openTestInvoices()
const { call, db } = environment
const own = '/api/billing/legal-entity'
const put = (userId: number, path: string, body: object) => call(userId, 'PUT', path, { body })

test('a client enters its legal entity, staff see and correct it, and each save is kept with who made it', async () => {
  const before = await call(1, 'GET', own)
  expect(before.body).toMatchObject({
    legalName: '',
    addressLines: [],
    country: '',
    version: 0,
    savedAt: null,
  })
  const first = await put(1, own, { ...anEntity, version: 0 })
  expect([first.status, first.body]).toEqual([200, expect.objectContaining({ ...anEntity, savedBy: 'u1' })])
  const path = '/api/billing/legal-entities/1'
  expect((await call(4, 'GET', path)).body).toEqual(first.body)
  const second = await put(4, path, { ...anEntity, taxNumber: 'CY 2', version: first.body.version })
  expect(second.body).toMatchObject({ taxNumber: 'CY 2', savedBy: 'u4' })
  // Which of the staff it was is not the client's to know.
  expect((await call(1, 'GET', own)).body).toEqual({ ...second.body, savedBy: '' })
  const kept = await rows(
    db,
    sql`select tax_number as tax, u.username as by from legal_entities e join users u on u.id = saved_by
        where user_id = 1 order by e.id`,
  )
  expect(kept).toEqual([
    { tax: anEntity.taxNumber, by: 'u1' },
    { tax: 'CY 2', by: 'u4' },
  ])
  const audited = await rows<{ actor: string; before: object | null; after: object }>(
    db,
    sql`select u.username as actor, before, after from audit_entries a join users u on u.id = a.actor_id
        where action = 'legal_entity.change' and object_id = '1' order by a.id`,
  )
  expect(audited).toMatchObject([
    { actor: 'u1', before: null, after: { legalName: anEntity.legalName } },
    { actor: 'u4', before: { taxNumber: anEntity.taxNumber }, after: { taxNumber: 'CY 2' } },
  ])
})

test('a form that was opened before somebody else saved overwrites nothing', async () => {
  const opened = (await put(2, own, anEntity)).body
  expect((await put(4, '/api/billing/legal-entities/2', { ...anEntity, taxNumber: 'CY 3' })).status).toBe(200)
  expect((await put(2, own, { ...anEntity, version: opened.version })).status).toBe(409)
  const [one, other] = await Promise.all([
    put(3, own, { ...anEntity, version: 0 }),
    put(3, own, { ...anEntity, version: 0 }),
  ])
  expect([one.status, other.status].toSorted((a, b) => a - b)).toEqual([200, 409])
})

test('clients see and save only their own; the own company is set by admins, and nobody saves for an unknown user', async () => {
  for (const path of ['/api/billing/legal-entities/1', '/api/billing/own-company']) {
    expect((await call(2, 'GET', path)).status).toBe(403)
    expect((await put(2, path, anEntity)).status).toBe(403)
  }
  expect((await put(4, '/api/billing/own-company', anEntity)).status).toBe(403)
  expect((await put(6, '/api/billing/own-company', anEntity)).body).toMatchObject(anEntity)
  expect((await call(4, 'GET', '/api/billing/own-company')).body).toMatchObject(anEntity)
  expect((await put(4, '/api/billing/legal-entities/999', anEntity)).status).toBe(404)
  expect((await call(4, 'GET', '/api/billing/legal-entities/999')).status).toBe(404)
})

const scripts = {
  Latin: 'Łukasz Ångström-Nuñez ',
  Greek: 'Αλέξανδρος Παπαδόπουλος ',
  Cyrillic: 'Общество Ґедзь ',
  Arabic: 'شركة عبد الرحمن ',
  Hebrew: 'חברת רחל כהן ',
}
const ofLength = (part: string, length: number) =>
  part
    .repeat(20)
    .slice(0, length - 1)
    .trimEnd()
    .padEnd(length, 'x')

test.each(Object.entries(scripts))(
  'a name of 200 characters in %s is kept; of 201 it is refused',
  async (_, part) => {
    const legalName = ofLength(part, 200)
    const entity = { ...anEntity, legalName, addressLines: [part.trim()], taxNumber: part.slice(0, 5).trim() }
    expect((await put(5, own, entity)).body).toMatchObject(entity)
    expect((await call(5, 'GET', own)).body).toMatchObject(entity)
    expect((await put(5, own, { ...entity, legalName: `${legalName}y` })).body.fields).toHaveProperty(
      'legalName',
    )
  },
)

test.each([
  ['Chinese', '上海国际信息技术有限公司', '上 海 国'],
  ['Devanagari', 'अंतर्राष्ट्रीय संदेश', 'अ'],
  ['Thai', 'บริษัท', 'บ'],
  ['Korean', '주식회사', '주 식 회 사'],
])('a name in %s, which invoices cannot print, needs Latin letters beside it', async (_, name, letters) => {
  const legalName = ofLength(`${name} `, 200)
  const refused = await put(5, own, { ...anEntity, legalName })
  expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, ['latinName']])
  expect(refused.body.message).toContain(letters)
  const saved = await put(5, own, { ...anEntity, legalName, latinName: 'Known as this Ltd' })
  expect(saved.body).toMatchObject({ legalName, latinName: 'Known as this Ltd' })
})

test.each([
  ['addressLines', { addressLines: ['東京'] }, 'latinAddressLines'],
  ['taxNumber', { taxNumber: '税号1' }, 'taxNumber'],
  ['latinName', { latinName: '東京' }, 'latinName'],
  ['an empty name', { legalName: ' ' }, 'legalName'],
  ['a line break in the name', { legalName: 'A\nB' }, 'legalName'],
  ['no address', { addressLines: [] }, 'addressLines'],
  ['an empty line', { addressLines: ['Street 1', ' '] }, 'addressLines.1'],
  ['six lines', { addressLines: Array.from({ length: 6 }, () => 'x') }, 'addressLines'],
  ['no country', { country: 'XX' }, 'country'],
])('refused with its field: %s', async (_, part, field) => {
  const { status, body } = await put(5, own, { ...anEntity, ...part })
  expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
})

test('staff learn whose entity is missing among those who earned something', async () => {
  const bare = await openTestInvoices()
  const missing = async () => (await bare.call(4, 'GET', '/api/billing/missing-entities')).body
  expect(await missing()).toEqual({ isOwnCompanyMissing: true, clientCount: 0, clients: [] })
  await bare.aClosedCycle({ client: 1 }, { client: 2, number: 3 })
  expect(await missing()).toMatchObject({
    clientCount: 2,
    clients: [{ userId: 1, userName: 'u1' }, { userId: 2 }],
  })
  await bare.anOwnCompany()
  await bare.aSupplier(1)
  expect(await missing()).toMatchObject({
    isOwnCompanyMissing: false,
    clientCount: 1,
    clients: [{ userId: 2 }],
  })
})
