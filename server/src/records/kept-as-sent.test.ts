import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTestApi } from '../../test/http/api.ts'
import { createTestAudit } from '../../test/people/audit.ts'
import { openTestDatabase } from '../../test/environment/database.ts'
import { systemClock } from '../platform/clock.ts'
import { composeReads } from '../compose-reads.ts'
import { Answers, makeBusiness, makeIngest, messageTo, testSecrets } from '../ingest/testing/traffic.ts'

const { db } = await openTestDatabase()
const numbers = await makeBusiness(db, { clients: 3, numbers: 10 })
const ingest = await makeIngest(db)
const reads = composeReads({
  db,
  clock: systemClock,
  secrets: testSecrets,
  audit: createTestAudit({ db, clock: systemClock }),
  currentActor: async (actor) => actor,
  onFault: (error) => {
    throw error
  },
})
afterAll(() => ingest.stop())
const api = await openTestApi(reads.routes)
await sql`insert into users (id, username, email, first_name, last_name, password_hash, role) overriding system value
  values (100, 'boss', 'b@example.org', 'B', 'B', 'x', 'admin')`.execute(db)
await sql`insert into gateways (source, name) values (0, 'supplier1')`.execute(db)
const admin = api.signIn({ userId: 100, username: 'boss', role: 'admin' })
// numbers[0] is held by client2, whose id is 2.
const owner = api.signIn({ userId: 2, username: 'client2', role: 'user' })
const tester = api.signIn({ userId: 2, username: 'client2', role: 'test' })

test('the raw view shows the octets as they came, the header apart, whatever the text became', async () => {
  const answers = new Answers()
  const store = async (message: Parameters<typeof messageTo>[2]) => {
    ingest.accept(messageTo(numbers[0]!, answers, message))
    await answers.until(answers.answered + 1)
    const [id] = [...answers.committedIds.keys()].slice(-1)
    return (await api.call('GET', `/api/records/${id}/text`, { cookie: admin })).body
  }
  const segment = Buffer.from('050003a70201' + '0041ff', 'hex')
  expect(await store({ body: segment, esmClass: 0x40 })).toMatchObject({
    text: '@A\ufffd',
    raw: { octets: segment.toString('hex'), header: '050003a70201', esmClass: 0x40 },
  })
  // The header was made of sar_ parameters: the peer had sent none.
  const joined = Buffer.concat([
    Buffer.from('060804000702' + '01', 'hex'),
    Buffer.from('caf\u00e9', 'latin1'),
  ])
  expect(
    await store({ body: joined, esmClass: 0x40, isSarHeader: true, defaultAlphabet: 'latin1' }),
  ).toMatchObject({
    text: 'caf\u00e9',
    encoding: 'latin1',
    raw: { octets: '636166e9', header: '', esmClass: 0, defaultAlphabet: 'latin1' },
  })
})

test('a record tells what its PDU carried, but not to viewers who see numbers masked', async () => {
  const answers = new Answers()
  const sent = {
    sourceAddrTon: 2,
    sourceAddrNpi: 8,
    destAddrTon: 1,
    destAddrNpi: 1,
    serviceType: 'CMT',
    protocolId: 3,
    priorityFlag: 1,
    tlvs: [
      { tag: 0x0204, value: Buffer.from('002a', 'hex') },
      { tag: 0x1403, value: Buffer.from('beef', 'hex') },
    ],
  }
  ingest.accept(messageTo(numbers[0]!, answers, { sent, sourceAddress: '07700900318' }))
  ingest.accept(messageTo(numbers[0]!, answers, {}))
  await answers.until(2)
  const [id, plain] = [...answers.committedIds].map(([each]) => each)
  const shown = await api.call('GET', `/api/records/${id}`, { cookie: owner })
  expect(shown.body.sent).toMatchObject({
    sourceAddress: '07700900318',
    sourceTon: 2,
    sourceNpi: 8,
    destTon: 1,
    destNpi: 1,
    serviceType: 'CMT',
    protocolId: 3,
    priority: 1,
    parameters: [
      { tag: '0x0204', name: 'user_message_reference', hex: '002a' },
      { tag: '0x1403', name: '', hex: 'beef' },
    ],
  })
  expect((await api.call('GET', `/api/records/${id}`, { cookie: tester })).body.sent).toBeNull()
  expect((await api.call('GET', `/api/records/${plain}`, { cookie: owner })).body.sent).toBeNull()
})
