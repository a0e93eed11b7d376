// SQL for connections as people entered them, and for the messages that people queue.
import { sql } from 'kysely'
import type { BindType, InterfaceVersion } from '@tollgate/contract/vocabulary.ts'
import { changed, row, rows, type Db } from '../../platform/db.ts'

/** A connection as a person entered it. */
export interface ConnectionFields {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly useTls: boolean
  readonly bindType: BindType
  readonly systemId: string
  readonly systemType: string
  readonly interfaceVersion: InterfaceVersion
  readonly sourceTon: number
  readonly sourceNpi: number
  readonly destTon: number
  readonly destNpi: number
  readonly throughput: number
  readonly answerIdForm: 'text' | 'decimal' | 'hex'
  readonly receiptIdForm: 'text' | 'decimal' | 'hex'
}

export interface ConnectionRow extends ConnectionFields {
  readonly id: number
  readonly sealedPassword: Buffer
  readonly isWanted: boolean
  readonly restartCount: number
  readonly version: number
}

const columns = sql.raw(`c.id, c.name, c.host, c.port, c.use_tls as "useTls", c.bind_type as "bindType",
  c.system_id as "systemId", c.sealed_password as "sealedPassword", c.system_type as "systemType",
  c.interface_version as "interfaceVersion", c.source_ton as "sourceTon", c.source_npi as "sourceNpi",
  c.dest_ton as "destTon", c.dest_npi as "destNpi", c.throughput, c.answer_id_form as "answerIdForm",
  c.receipt_id_form as "receiptIdForm", c.is_wanted as "isWanted", c.restart_count as "restartCount", c.version`)

/** Adds a connection without its password: the encryption context contains the id. */
export async function insertConnection(tx: Db, fields: ConnectionFields): Promise<number> {
  const added = await row<{ id: number }>(
    tx,
    sql`
      insert into smpp_connections (name, host, port, use_tls, bind_type, system_id, sealed_password, system_type,
        interface_version, source_ton, source_npi, dest_ton, dest_npi, throughput, answer_id_form, receipt_id_form)
      values (${fields.name}, ${fields.host}, ${fields.port}, ${fields.useTls}, ${fields.bindType},
        ${fields.systemId}, ''::bytea, ${fields.systemType}, ${fields.interfaceVersion}, ${fields.sourceTon},
        ${fields.sourceNpi}, ${fields.destTon}, ${fields.destNpi}, ${fields.throughput}, ${fields.answerIdForm},
        ${fields.receiptIdForm})
      returning id`,
  )
  if (added === undefined) throw new Error('The new connection has no id')
  return added.id
}

export async function updateConnection(tx: Db, id: number, fields: ConnectionFields): Promise<void> {
  await sql`
    update smpp_connections set name = ${fields.name}, host = ${fields.host}, port = ${fields.port},
      use_tls = ${fields.useTls}, bind_type = ${fields.bindType}, system_id = ${fields.systemId},
      system_type = ${fields.systemType}, interface_version = ${fields.interfaceVersion},
      source_ton = ${fields.sourceTon}, source_npi = ${fields.sourceNpi}, dest_ton = ${fields.destTon},
      dest_npi = ${fields.destNpi}, throughput = ${fields.throughput}, answer_id_form = ${fields.answerIdForm},
      receipt_id_form = ${fields.receiptIdForm}, version = version + 1, updated_at = clock_timestamp()
    where id = ${id}`.execute(tx)
}

export async function setPassword(tx: Db, id: number, sealed: Buffer): Promise<void> {
  await sql`update smpp_connections set sealed_password = ${sealed} where id = ${id}`.execute(tx)
}

/** Sets whether a connection is wanted; `reconnects` also makes it reconnect. */
export async function setWanted(tx: Db, id: number, isWanted: boolean, reconnects: boolean): Promise<void> {
  await sql`
    update smpp_connections set is_wanted = ${isWanted}, restart_count = restart_count + ${reconnects ? 1 : 0}
    where id = ${id}`.execute(tx)
}

/** Makes all wanted connections reconnect; returns them. */
export async function restartWanted(tx: Db): Promise<Pick<ConnectionRow, 'id' | 'name'>[]> {
  const found = await rows<Pick<ConnectionRow, 'id' | 'name'>>(
    tx,
    sql`update smpp_connections set restart_count = restart_count + 1 where is_wanted returning id, name`,
  )
  return found.toSorted((a, b) => a.id - b.id)
}

export async function deleteConnection(tx: Db, id: number): Promise<boolean> {
  return (await changed(tx, sql`delete from smpp_connections where id = ${id}`)) === 1
}

/** Reads a connection and locks its row until the transaction ends. */
export async function lockConnection(tx: Db, id: number): Promise<ConnectionRow | undefined> {
  return row(tx, sql`select ${columns} from smpp_connections c where c.id = ${id} for update`)
}

export async function findConnection(db: Db, id: number): Promise<ConnectionRow | undefined> {
  return row(db, sql`select ${columns} from smpp_connections c where c.id = ${id}`)
}

export interface WantedConnection extends ConnectionRow {
  /** Whether some node owns it now. */
  readonly isHeld: boolean
  readonly hasQueuedSends: boolean
}

/** All wanted connections; the keeper of each node reads them once a second. */
export async function wantedConnections(db: Db): Promise<WantedConnection[]> {
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

export interface NewSend {
  readonly connectionId: number
  readonly from: string
  readonly to: string
  readonly createdBy: string
}

/** Queues a message for the link's owner, and deletes those older than a week. */
export async function insertSend(tx: Db, send: NewSend): Promise<string> {
  await sql`
    delete from connection_sends
    where connection_id = ${send.connectionId} and created_at < clock_timestamp() - interval '7 days'`.execute(
    tx,
  )
  const added = await row<{ id: string }>(
    tx,
    sql`
      insert into connection_sends (connection_id, sender, recipient, created_by, created_at)
      values (${send.connectionId}, ${send.from}, ${send.to}, ${send.createdBy}, clock_timestamp()) returning id`,
  )
  if (added === undefined) throw new Error('The new message has no id')
  return added.id
}

export async function setSendText(tx: Db, id: string, sealed: Buffer): Promise<void> {
  await sql`update connection_sends set sealed_text = ${sealed} where id = ${id}`.execute(tx)
}
