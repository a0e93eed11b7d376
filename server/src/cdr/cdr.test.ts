// Files of a schedule: whole, in order, each record once, whatever fails on the way.
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { idsIn, nodeOn } from '../../test/traffic/cdr.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { readParquet } from '../../test/files/parquet.ts'
import { openS3Server, s3Keys } from '../../test/stand-ins/s3-server.ts'
import { row } from '../platform/db.ts'
import { parseMessageId } from '../ingest/index.ts'
import { measureRange } from './store.ts'
import { cdrAlerts } from './alerts.ts'
import { openCdrEnvironment, s3To } from './testing/cdr-environment.ts'

const {
  world,
  db,
  folder,
  call,
  add,
  store,
  start,
  stop,
  endPeriod,
  hurry,
  files,
  delivered,
  egress,
  inFolder,
} = await openCdrEnvironment()

test('the range of a file ends with its time, across ids of more digits, and not before slow transactions end', async () => {
  // Long before what other tests store.
  const until = new Date('2020-01-01T00:00:00Z')
  const batch = (xid: string) =>
    sql`insert into record_batches (id, xid, stored_at, record_count, created_from, created_to, priced_at)
        select nextval('transaction_ids'), ${xid}::xid8, t.at, 3, t.at, t.at, t.at
        from (select ${until}::timestamptz - interval '1 minute' as at) t`
  await batch('9').execute(db)
  await batch('10').execute(db)
  expect(await measureRange(db, '9', until)).toEqual({ toXid: '11', storedCount: '6' })
  const slowXid = await db.transaction().execute(async (slow) => {
    const now = await row<{ xid: string }>(slow, sql`select pg_current_xact_id()::text as xid`)
    await batch(now?.xid ?? '').execute(db)
    expect(await measureRange(db, '9', until)).toBe(undefined)
    return BigInt(now?.xid ?? 0)
  })
  expect(await measureRange(db, '9', until)).toMatchObject({ toXid: String(slowXid + 1n) })
})

test('a storage that refuses is asked again, in order, with its reason and fix, and shows as an alert', async () => {
  const s3 = await openS3Server()
  const { id } = await add({ name: 'refused', ...s3To(s3.url), every: 'hour' })
  await start()
  s3.faults.push({ status: 403, code: 'AccessDenied' })
  await store(1)
  await endPeriod()
  await eventually(async () => expect((await files(id)).at(-1)).toMatchObject({ attempts: 1 }))
  const [oldest] = (await files(id)).toReversed()
  expect(oldest?.error).toBe(
    'The storage answered 403 AccessDenied for the bucket records. The key may not write there: permit it s3:PutObject for this bucket and folder.',
  )
  expect(oldest?.sha256).toMatch(/^[0-9a-f]{64}$/)
  expect(s3.stored).toEqual([])
  const [alert] = await cdrAlerts(db, new Date())
  expect(alert).toMatchObject({
    kind: 'cdr_file',
    severity: 'warning',
    name: 'refused',
    about: { scheduleId: id },
  })
  expect(JSON.stringify((await call('GET', '/api/cdr-schedules')).body)).not.toContain(s3Keys.secretAccessKey)
  expect((await call('POST', `/api/cdr-schedules/${id}/files/${oldest?.id}/send`)).status).toBe(202)
  await delivered(id, 1)
  expect(await cdrAlerts(db, new Date())).toEqual([])
  // Once more on a person's order.
  const before = s3.stored.length
  await call('POST', `/api/cdr-schedules/${id}/files/${oldest?.id}/send`)
  await eventually(async () => expect(s3.stored.length).toBe(before + 2))
})

test('a wrong secret, a silent storage and an address inside are told in a test; the right secret works', async () => {
  const s3 = await openS3Server()
  const to = s3To(s3.url)
  const { id, version } = await add({ ...to, secret: 'wrong' })
  const tried = async () => (await call('POST', `/api/cdr-schedules/${id}/test`)).body
  expect((await tried()).error).toContain('The secret access key is wrong.')
  const body = {
    name: 'acme',
    every: 'day',
    format: 'csv',
    columns: 'messageId',
    client: null,
    gateway: null,
    ...to,
  }
  expect((await call('PUT', `/api/cdr-schedules/${id}`, { ...body, version })).status).toBe(200)
  expect(await tried()).toMatchObject({ success: true })
  expect(s3.objects.size).toBe(0)
  // Another place asks for the secret again; the same place does not.
  const elsewhere = { ...to.destination, endpoint: 'http://10.0.0.1' }
  const moved = await call('PUT', `/api/cdr-schedules/${id}`, { ...body, destination: elsewhere, secret: '' })
  expect([moved.status, moved.body.fields]).toEqual([400, { secret: 'Enter the secret access key' }])
  expect((await call('PUT', `/api/cdr-schedules/${id}`, { ...body, secret: '' })).status).toBe(200)
  await call('PUT', `/api/cdr-schedules/${id}`, { ...body, destination: elsewhere })
  expect((await tried()).error).toContain('only public addresses are allowed')
})

const plainPdu = {
  sourceAddrTon: 1,
  sourceAddrNpi: 1,
  destAddrTon: 1,
  destAddrNpi: 1,
  serviceType: '',
  tlvs: [],
}

test('Parquet of one client has that client alone, with ids in the form of the peer and shared ones', async () => {
  const [others = '', own = ''] = world.numbers
  const columns = 'messageId,peerMessageId,client,amountUsd,createdAt'
  const { id } = await add({ name: 'parquet', format: 'parquet', client: 'client1', columns })
  await start()
  const idStyle = { form: 'decimal', isShort: false } as const
  const [styled = '', shared = ''] = await store(2, { idStyle, sent: plainPdu }, own)
  await store(2, {}, others)
  const keyOf = (messageId: string) => parseMessageId(messageId)?.recordId
  await sql`insert into answered_ids (record_id, answered_id) values (${keyOf(shared)}, 'ONE-FOR-ALL')`.execute(
    db,
  )
  await endPeriod()
  const { name, recordCount } = (await delivered(id, 1)).at(-1)!
  const rows = await readParquet(inFolder('out')(name))
  expect(rows.map(({ messageId, peerMessageId, client }) => [messageId, peerMessageId, client])).toEqual([
    [styled, String(keyOf(styled)), 'client1'],
    [shared, 'ONE-FOR-ALL', 'client1'],
  ])
  expect(recordCount).toBe(2)
  expect(rows[0]?.['createdAt']).toBeInstanceOf(Date)
})

test('a file whose records are gone is not delivered short, and says so', async () => {
  const { id } = await add({ name: 'gone' })
  await store(3)
  await endPeriod()
  await start({ cdrDir: join(folder, 'missing') })
  await eventually(async () => expect((await files(id)).at(-1)?.attempts).toBe(1))
  expect((await files(id)).at(-1)?.error).toContain('CDR_DIR is not there')
  await stop()
  await sql`update cdr_files set stored_count = stored_count + 1`.execute(db)
  await hurry()
  await start()
  await eventually(async () => expect((await files(id)).at(-1)).toMatchObject({ state: 'incomplete' }))
  expect((await cdrAlerts(db, new Date()))[0]).toMatchObject({ severity: 'critical' })
})

test('a folder never leads out of the permitted one, and parts that were left are removed', async () => {
  const elsewhere = join(folder, '.data', 'elsewhere')
  await mkdir(elsewhere, { recursive: true })
  await mkdir(join(folder, 'inner', 'below'), { recursive: true })
  await symlink('/tmp', join(folder, 'inner', 'out'))
  const { id } = await add({ name: 'links', destination: { type: 'folder', path: 'inner/out' } })
  expect((await call('POST', `/api/cdr-schedules/${id}/test`)).body.error).toContain('A link leads out')
  for (const path of ['../x', '/etc', 'a/../b', '.hidden', 'a//b'])
    expect(
      (
        await call('POST', '/api/cdr-schedules', {
          name: 'bad',
          every: 'day',
          format: 'csv',
          destination: { type: 'folder', path },
        })
      ).status,
    ).toBe(400)
  await sql`delete from cdr_schedules`.execute(db)
  const whole = await add({ name: 'links', destination: { type: 'folder', path: 'inner/below' } })
  await endPeriod()
  await start()
  const [file] = await delivered(whole.id, 1)
  const part = join(folder, 'inner', 'below', `.${file?.name}.killed.part`)
  await writeFile(part, 'half')
  await call('POST', `/api/cdr-schedules/${whole.id}/files/${file?.id}/send`)
  await eventually(async () =>
    expect((await readdir(join(folder, 'inner', 'below'))).filter((name) => name.endsWith('.part'))).toEqual(
      [],
    ),
  )
})

test('two nodes deliver each file once; a paused schedule makes none and then all of them', async () => {
  const s3 = await openS3Server()
  const { id } = await add({ name: 'nodes', ...s3To(s3.url) })
  await call('POST', `/api/cdr-schedules/${id}/pause`)
  const stored = await store(2)
  await endPeriod()
  const other = await openSecondNode()
  await start()
  expect(await files(id)).toEqual([])
  await call('POST', `/api/cdr-schedules/${id}/resume`)
  const made = await delivered(id, 1)
  const content = (name: string) => s3.objects.get(`records/cdr/acme/${name}`) ?? Buffer.alloc(0)
  expect(made.toReversed().flatMap(({ name }) => idsIn(content, name))).toEqual(stored)
  expect(s3.stored).toHaveLength(2 * made.length)
  await other()
})

async function openSecondNode(): Promise<() => Promise<void>> {
  const second = nodeOn(db, { egress, cdrDir: folder, dataDir: join(folder, '.data', 'second') })
  await second.start({ delivers: true })
  return () => second.stop()
}
