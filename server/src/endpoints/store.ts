// SQL of the endpoints themselves.
import { sql } from 'kysely'
import type { EndpointEventName } from '@tollgate/contract/endpoints/deliveries.ts'
import type { EndpointMethod, EndpointStatus, Role } from '@tollgate/contract/vocabulary.ts'
import { changed, row, rows, type Db } from '../platform/db.ts'
import { createReplayLimit } from '../platform/load/replay-limit.ts'

export interface EndpointFields {
  readonly userId: number | null
  readonly name: string
  readonly url: string
  readonly method: EndpointMethod
  readonly rateLimit: number
  readonly status: EndpointStatus
  /** What it is told. */
  readonly events: readonly EndpointEventName[]
}

/** One endpoint for one caller: a client finds only its own. */
export interface EndpointRef {
  readonly id: number
  /** Undefined: anybody's, for staff. */
  readonly ownerId: number | undefined
}

export interface EndpointRow extends EndpointFields {
  readonly id: number
  readonly encryptedSecret: Buffer
  /** Signs beside the current one until it expires; null after that. */
  readonly formerEncryptedSecret: Buffer | null
  /** The role of the client whose endpoint it is; empty when it takes everybody's records. */
  readonly clientRole: Role | ''
  readonly statusReason: string
  /** Records of older transactions are not sent. */
  readonly sinceXid: string
  readonly version: number
}

const columns =
  sql.raw(`id, user_id as "userId", name, url, method, rate_limit as "rateLimit", status, events,
  encrypted_secret as "encryptedSecret",
  case when former_until > clock_timestamp() then former_encrypted_secret end as "formerEncryptedSecret",
  coalesce((select u.role from users u where u.id = endpoints.user_id), '') as "clientRole", status_reason as "statusReason", since_xid::text as "sinceXid", version`)

/** Adds an endpoint without its secret, whose encryption needs the id. */
export async function insertEndpoint(tx: Db, fields: EndpointFields): Promise<number> {
  const { id } = await tx
    .insertInto('endpoints')
    .values({
      user_id: fields.userId,
      name: fields.name,
      url: fields.url,
      method: fields.method,
      rate_limit: fields.rateLimit,
      status: fields.status,
      events: fields.events,
      encrypted_secret: Buffer.alloc(0),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function setSecret(tx: Db, id: number, encrypted: Buffer): Promise<void> {
  await tx.updateTable('endpoints').set({ encrypted_secret: encrypted }).where('id', '=', id).execute()
}

/** Replaces the current secret, which signs too for another day. */
export async function replaceSecret(tx: Db, id: number, encrypted: Buffer): Promise<void> {
  await sql`
    update endpoints set former_encrypted_secret = encrypted_secret, former_until = clock_timestamp() + interval '24 hours',
      encrypted_secret = ${encrypted}, version = version + 1, updated_at = clock_timestamp()
    where id = ${id}`.execute(tx)
}

/** Counts a client's endpoints. Its row is locked until the transaction ends, so that two calls count one after the other. */
export async function countOfClient(tx: Db, userId: number): Promise<number> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  const found = await tx
    .selectFrom('endpoints')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return found?.count ?? 0
}

/** Notes that a test reached the address; a change of the address since then makes it void. */
export async function setVerified(tx: Db, id: number, url: string): Promise<void> {
  await tx
    .updateTable('endpoints')
    .set({ verified_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('url', '=', url)
    .execute()
}

/** Saves an endpoint. One that was inactive takes only records that are stored from now on. */
export async function updateEndpoint(
  tx: Db,
  id: number,
  fields: Omit<EndpointFields, 'userId'>,
): Promise<void> {
  await sql`
    update endpoints set name = ${fields.name}, url = ${fields.url}, method = ${fields.method},
      rate_limit = ${fields.rateLimit}, status = ${fields.status},
      events = ${fields.events}::text[], verified_at = case when url = ${fields.url} then verified_at end,
      state_since = case when status = ${fields.status} then state_since else clock_timestamp() end,
      status_reason = case when status = ${fields.status} then status_reason else '' end,
      since_xid = case when status = 'inactive' then log_horizon() else since_xid end,
      version = version + 1, updated_at = clock_timestamp()
    where id = ${id}`.execute(tx)
}

/** Switches an endpoint off because of its response; returns its name unless it was off before. */
export async function switchOff(tx: Db, id: number, reason: string): Promise<string | undefined> {
  const found = await row<{ name: string }>(
    tx,
    sql`
    update endpoints set status = 'inactive', status_reason = ${reason}, state_since = clock_timestamp(), version = version + 1,
      updated_at = clock_timestamp()
    where id = ${id} and status <> 'inactive' returning name`,
  )
  return found?.name
}

export interface RequestCounts {
  readonly endpointId: number
  readonly requestCount: number
  readonly successCount: number
}

/** An endpoint that started to fail, or recovered, with these requests. */
export interface HealthChange {
  readonly endpointId: number
  readonly name: string
  readonly isFailing: boolean
}

/** Counts requests. One success ends a failing period; none among them begins one. */
export async function addRequests(tx: Db, used: readonly RequestCounts[]): Promise<HealthChange[]> {
  return rows(
    tx,
    sql`
      with used as (
        select * from unnest(${used.map(({ endpointId }) => endpointId)}::int[],
          ${used.map((each) => each.requestCount)}::int[], ${used.map((each) => each.successCount)}::int[])
          as used (id, requests, successes)
      ), before as (
        select e.id, e.failing_since from endpoints e join used using (id) order by e.id for no key update of e
      ), counted as (
        update endpoints e set request_count = e.request_count + u.requests,
          success_count = e.success_count + u.successes, last_used_at = clock_timestamp(),
          failing_since = case when u.successes = 0 then coalesce(e.failing_since, clock_timestamp()) end,
          state_since = case when e.status = 'active' and e.failing_since is not null and u.successes > 0
            then clock_timestamp() else e.state_since end
        from used u join before b using (id) where e.id = u.id
        returning e.id, e.name, e.failing_since is not null as is_failing, b.failing_since is not null as was_failing
      )
      select id as "endpointId", name, is_failing as "isFailing" from counted where is_failing <> was_failing
      order by id`,
  )
}

export async function deleteEndpoint(tx: Db, id: number): Promise<boolean> {
  return (await changed(tx, tx.deleteFrom('endpoints').where('id', '=', id))) === 1
}

const isFor = ({ id, ownerId }: EndpointRef) =>
  sql`id = ${id} and ${ownerId === undefined ? sql`true` : sql`user_id = ${ownerId}`}`

/**
 * An endpoint, locked until the transaction ends. Not against new deliveries, whose foreign key locks it too: a close
 * that makes bills must not wait for a page.
 */
export async function lockEndpoint(tx: Db, ref: EndpointRef): Promise<EndpointRow | undefined> {
  return row(tx, sql`select ${columns} from endpoints where ${isFor(ref)} for no key update`)
}

/** Limits replays of all that failed. */
export const replayLimit = createReplayLimit('endpoints')

export async function findEndpoint(db: Db, ref: EndpointRef): Promise<EndpointRow | undefined> {
  return row(db, sql`select ${columns} from endpoints where ${isFor(ref)}`)
}

/** The endpoints that take records: active or in maintenance. `lock` keeps them so until the transaction ends. */
export async function liveEndpoints(db: Db, lock: '' | 'for share' = ''): Promise<EndpointRow[]> {
  return rows(
    db,
    sql`select ${columns} from endpoints where status <> 'inactive' order by id ${sql.raw(lock)}`,
  )
}
