// SQL for connections as people entered them.
import { sql } from 'kysely'
import type { z } from 'zod'
import type { createConnectionSchema } from '@tollgate/contract/connections/connections.ts'
import { changed, onlyRow, row, rows, type Db } from '../platform/db.ts'

/** A connection as a person entered it. */
export type ConnectionFields = Omit<z.output<typeof createConnectionSchema>, 'password'>

export interface ConnectionRow extends ConnectionFields {
  readonly id: number
  readonly encryptedPassword: Buffer
  readonly isWanted: boolean
  readonly restartCount: number
  readonly version: number
}

/** The fields and their columns. */
const columnOf = {
  name: 'name',
  host: 'host',
  port: 'port',
  useTls: 'use_tls',
  tlsCa: 'tls_ca',
  tlsName: 'tls_name',
  bindType: 'bind_type',
  systemId: 'system_id',
  systemType: 'system_type',
  interfaceVersion: 'interface_version',
  sourceTon: 'source_ton',
  sourceNpi: 'source_npi',
  destTon: 'dest_ton',
  destNpi: 'dest_npi',
  throughput: 'throughput',
  answerIdForm: 'answer_id_form',
  receiptIdForm: 'receipt_id_form',
  isReceiptByText: 'is_receipt_by_text',
  defaultAlphabet: 'default_alphabet',
  useNationalTables: 'use_national_tables',
  isStrict: 'is_strict',
  receiveWindow: 'receive_window',
  sendWindow: 'send_window',
  enquireLinkSeconds: 'enquire_link_seconds',
  allowedCidrs: 'allowed_cidrs',
} as const satisfies Record<keyof ConnectionFields, string>
const fieldNames = Object.keys(columnOf) as (keyof ConnectionFields)[]

/** The fields of a connection, without its password and state. */
export function connectionFields(from: ConnectionFields): ConnectionFields {
  return Object.fromEntries(fieldNames.map((name) => [name, from[name]])) as unknown as ConnectionFields
}

/** What may be shown of a row `c` of smpp_connections. */
export const shownColumns = sql.raw(
  [
    'c.id',
    'c.is_wanted as "isWanted"',
    'c.version',
    ...fieldNames.map((name) => `c.${columnOf[name]} as "${name}"`),
  ].join(', '),
)
const columns = sql`${shownColumns}, c.encrypted_password as "encryptedPassword", c.restart_count as "restartCount"`

/** Adds a connection without its password: the encryption context contains the id. */
export async function insertConnection(tx: Db, fields: ConnectionFields): Promise<number> {
  const added = await onlyRow<{ id: number }>(
    tx,
    sql`
      insert into smpp_connections (${sql.join(fieldNames.map((name) => sql.ref(columnOf[name])))}, encrypted_password)
      values (${sql.join(fieldNames.map((name) => sql`${fields[name]}`))}, ''::bytea) returning id`,
  )
  return added.id
}

export async function updateConnection(tx: Db, id: number, fields: ConnectionFields): Promise<void> {
  const changes = fieldNames.map((name) => sql`${sql.ref(columnOf[name])} = ${fields[name]}`)
  await sql`
    update smpp_connections set ${sql.join(changes)}, version = version + 1, updated_at = clock_timestamp()
    where id = ${id}`.execute(tx)
}

export async function setPassword(tx: Db, id: number, encrypted: Buffer): Promise<void> {
  await tx
    .updateTable('smpp_connections')
    .set({ encrypted_password: encrypted })
    .where('id', '=', id)
    .execute()
}

/** Sets whether a connection is wanted; `reconnects` also makes it reconnect. */
export async function setWanted(tx: Db, id: number, isWanted: boolean, reconnects: boolean): Promise<void> {
  await tx
    .updateTable('smpp_connections')
    .set({ is_wanted: isWanted, restart_count: sql<number>`restart_count + ${reconnects ? 1 : 0}` })
    .where('id', '=', id)
    .execute()
}

/** Makes all wanted connections reconnect; returns them. */
export async function restartEnabled(tx: Db): Promise<Pick<ConnectionRow, 'id' | 'name'>[]> {
  const found = await tx
    .updateTable('smpp_connections')
    .set({ restart_count: sql<number>`restart_count + 1` })
    .where('is_wanted', '=', true)
    .returning(['id', 'name'])
    .execute()
  return found.toSorted((a, b) => a.id - b.id)
}

export async function deleteConnection(tx: Db, id: number): Promise<boolean> {
  return (await changed(tx, tx.deleteFrom('smpp_connections').where('id', '=', id))) === 1
}

/** Reads a connection and locks its row until the transaction ends. */
export async function lockConnection(tx: Db, id: number): Promise<ConnectionRow | undefined> {
  return row(tx, sql`select ${columns} from smpp_connections c where c.id = ${id} for update`)
}

export async function findConnection(db: Db, id: number): Promise<ConnectionRow | undefined> {
  return row(db, sql`select ${columns} from smpp_connections c where c.id = ${id}`)
}

export interface EnabledConnection extends ConnectionRow {
  /** Whether some node owns it now. */
  readonly isHeld: boolean
  readonly hasQueuedSends: boolean
}

/** All wanted connections; each node reads them once a second. */
export async function enabledConnections(db: Db): Promise<EnabledConnection[]> {
  return rows(
    db,
    sql`
      select ${columns}, l.name is not null as "isHeld",
        exists (
          select from connection_sends s where s.connection_id = c.id and s.status = 'queued'
        ) as "hasQueuedSends"
      from smpp_connections c left join leases l
        on l.name = 'connection:' || c.id and l.owner is not null and l.expires_at > clock_timestamp()
      where c.is_wanted order by c.id`,
  )
}
