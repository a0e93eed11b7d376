// Records, what is wrong, endpoints, and links of all kinds.
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { examples } from '@tollgate/contract/examples.ts'
import { deadLetterContext } from '../../src/providers/deps.ts'
import { admin, client, each, next, person, support, withId, type Fixture, type Fixtures } from './fixture.ts'
import { idFrom } from '../environment/database.ts'
import type { ExamplesEnvironment } from './environment.ts'

export const trafficFixtures = (environment: ExamplesEnvironment): Fixtures => ({
  ...ofRecords(environment),
  ...ofEndpoints(environment),
  ...ofProviders(environment),
  ...ofConnections(environment),
  ...ofCdrSchedules(environment),
})

function ofRecords(environment: ExamplesEnvironment): Fixtures {
  const { done, messageIdTo } = environment
  const ownRecord = async () => withId(messageIdTo('447700000010'))
  const note = { objectType: 'user', objectId: '2', text: 'Prefers e-mail.' }
  const alertKey = async () => {
    const request = { businessPurpose: 'Voting by SMS', expectedVolume: '50-200' }
    await done(client, 'POST', '/api/number-requests', request)
    const { alerts } = await done<{ alerts: { key: string }[] }>(support, 'GET', '/api/alerts')
    return alerts[0]?.key ?? ''
  }
  const rule = async () =>
    withId((await done(admin, 'POST', '/api/alert-rules', examples['createAlertRule']?.body)).id)
  return {
    getRecord: ownRecord,
    readRecordText: ownRecord,
    findOwnMessages: ownRecord,
    ...each(['getSupplierTraffic', 'getSupplierBinds', 'listSupplierRefusedBinds'], async () => withId(1)),
    findSupplierMessages: async () => ({ params: { id: '1', messageId: messageIdTo('447700000010') } }),
    exportChosenRecords: async () => ({ body: { ids: [messageIdTo('447700000010')] } }),
    exportChosenRecordsAsParquet: async () => ({ body: { ids: [messageIdTo('447700000010')] } }),
    simulateMessage: async () => ({ body: { to: '447700000010' } }),
    deleteAnalyticsMail: async () => {
      const path = '/api/analytics/mails'
      await done(client, 'PUT', path, { name: `View ${next()}`, every: 'day', look: { by: 'range' } })
      const { mails } = await done<{ mails: { id: string }[] }>(client, 'GET', path)
      return withId(mails[0]?.id ?? '')
    },
    setSupplierAlias: async () => ({ body: { name: 'u1' } }),
    deleteNote: async () => withId((await done(support, 'POST', '/api/notes', note)).id),
    updateAlertRule: rule,
    deleteAlertRule: rule,
    acknowledgeAlert: async () => ({ body: { key: await alertKey() } }),
    withdrawAcknowledgement: async () => {
      const key = await alertKey()
      await done(support, 'PUT', '/api/alerts/acknowledgement', { key })
      return { query: { key } }
    },
  }
}

function ofEndpoints(environment: ExamplesEnvironment): Fixtures {
  const { done, db } = environment
  // A client has ten endpoints at most.
  const own = { who: async () => `${(await person(environment)).id},user`, path: '/api/user/endpoints' }
  const staffs = { who: async () => support, path: '/api/endpoints' }
  const endpoint = async (side: typeof own) => {
    const body = { name: `CRM ${next()}`, endpoint: 'http://127.0.0.1:9/' }
    const who = await side.who()
    return { who, id: (await done(who, 'POST', side.path, body)).id }
  }
  const delivery = async (of: typeof own, status: 'pending' | 'failed') => {
    const { who, id } = await endpoint(of)
    const found = await idFrom(db)`insert into endpoint_deliveries (endpoint_id, type, subject, data,
          status, next_attempt_at)
        values (${id}::int, 'request.updated', '7', '{"id":"7"}', ${status},
            case when ${status} = 'pending' then now() + interval '1 hour' end) returning id`
    return { who, params: { id: String(id), deliveryId: found } }
  }
  const of = (side: typeof own, infix: string): Fixtures => {
    const ofEndpoint = async () => {
      const { who, id } = await endpoint(side)
      return { who, ...withId(id) }
    }
    const calls = ['edit#Endpoint', 'delete#Endpoint', 'rotate#Secret', 'pause#Endpoint', 'resume#Endpoint']
    return {
      ...Object.fromEntries(
        [...calls, 'test#Endpoint', 'list#Deliveries', 'replay#Failed'].map((name) => [
          name.replace('#', infix),
          ofEndpoint,
        ]),
      ),
      [`get${infix}Delivery`]: () => delivery(side, 'failed'),
      [`replay${infix}Delivery`]: () => delivery(side, 'failed'),
      [`send${infix}DeliveryNow`]: () => delivery(side, 'pending'),
    }
  }
  return { ...of(own, 'Own'), ...of(staffs, '') }
}

function ofProviders({ done, db, slices }: ExamplesEnvironment): Fixtures {
  const provider = async () => {
    const name = `East ${next()}`
    const body = { name, apiUrl: `http://127.0.0.1:9/${encodeURIComponent(name)}`, apiKey: 'example-key' }
    return (await done(admin, 'POST', '/api/providers', body)).id
  }
  const ofProvider = async () => withId(await provider())
  const letter = async (): Promise<Fixture> => {
    const id = await provider()
    const key = randomBytes(16).toString('hex')
    const text = JSON.stringify({ id: '1', timestamp: new Date().toISOString(), number: '449', sender: '49' })
    const encrypted = slices.secrets.encrypt(text, deadLetterContext(Number(id), key))
    const found = await idFrom(db)`insert into provider_dead_letters (provider_id, key, reason,
          explanation, external_id, number, row_timestamp, encrypted_row)
        values (${id}::int, ${key}::uuid, 'unknown_number', 'No such number.', '1', '449', 'now', ${encrypted}) returning id`
    return { params: { id: String(id), letterId: found } }
  }
  return {
    ...each(
      ['edit', 'delete', 'start', 'stop', 'test'].map((verb) => `${verb}Provider`),
      ofProvider,
    ),
    ...each(['listDeadLetters', 'exportDeadLetters', 'replayDeadLetters'], ofProvider),
    ...each(['showDeadLetter', 'dismissDeadLetter', 'replayDeadLetter'], letter),
  }
}

function ofConnections({ done, db }: ExamplesEnvironment): Fixtures {
  /** As the node leaves it that holds the link. */
  const connection = async () => {
    const body = {
      name: `west${next()}`,
      host: '127.0.0.1',
      port: 9,
      systemId: 'tollgate',
      password: 'secret08',
    }
    const { id } = await done(support, 'POST', '/api/smpp-connections', body)
    await sql`insert into leases (name, owner, token, expires_at)
      values ('connection:' || ${id}, 'a node', 1, now() + interval '1 hour')`.execute(db)
    await sql`insert into connection_states (connection_id, status, node, lease_token, attempts, last_error,
        messages_per_second)
      values (${id}::int, 'connected', 'a node', 1, 1, '', 0)`.execute(db)
    return id
  }
  const ofConnection = async () => withId(await connection())
  return {
    ...each(
      ['edit', 'delete', 'connect', 'disconnect', 'restart', 'test'].map((verb) => `${verb}Connection`),
      ofConnection,
    ),
    ...each(['sendTestMessage', 'listTestMessages', 'listUnmatchedReceipts'], ofConnection),
    disconnectBind: async () => {
      const node = `node${next()}`
      await sql`insert into nodes (id, host, roles, seen_at)
        values (${node}, 'h', '{smpp}', clock_timestamp())`.execute(db)
      await sql`insert into binds (id, node_id, user_id, system_id, bind_type, interface_version, remote_address)
        values (${`${node}-1`}, ${node}, 1, 'u1', 'transceiver', '3.4', '127.0.0.1')`.execute(db)
      return withId(`${node}-1`)
    },
  }
}

function ofCdrSchedules({ done, db }: ExamplesEnvironment): Fixtures {
  const schedule = async () => {
    const destination = { type: 's3', endpoint: 'http://127.0.0.1:9', region: 'us-east-1', bucket: 'records' }
    const name = `all-${next()}`
    const to = { ...destination, path: '', accessKeyId: 'EXAMPLEKEYID' }
    const body = { name, every: 'day', format: 'csv', destination: to, secret: 'an example secret' }
    return (await done(support, 'POST', '/api/cdr-schedules', body)).id
  }
  const file = async (): Promise<Fixture> => {
    const id = await schedule()
    const found = await idFrom(db)`insert into cdr_files (schedule_id, sequence, name, format, columns,
          period_from, period_to, from_xid, to_xid, stored_count)
        select id, 1, name || '-1.csv', format, columns, period_from, period_to, position, position, 0
          from cdr_schedules where id = ${id}::int returning id`
    return { params: { id, fileId: found } }
  }
  return {
    ...each(
      ['edit', 'delete', 'pause', 'test'].map((verb) => `${verb}CdrSchedule`),
      async () => withId(await schedule()),
    ),
    resumeCdrSchedule: async () => {
      const id = await schedule()
      await done(support, 'POST', `/api/cdr-schedules/${id}/pause`)
      return withId(id)
    },
    listCdrFiles: async () => withId(await schedule()),
    sendCdrFile: file,
  }
}
