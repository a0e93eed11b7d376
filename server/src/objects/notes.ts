// What staff note about an object.
import { sql, type RawBuilder } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Note, NotedType } from '@tollgate/contract/objects/objects.ts'
import { isPermitted, type Permission } from '@tollgate/contract/vocabulary.ts'
import type { Audit } from '../audit/index.ts'
import { parsePeriodId } from '../billing/index.ts'
import { row, type Db } from '../platform/db.ts'
import type { Actor, Caller } from '../http/handlers.ts'
import { toReply } from '../http/reply.ts'
import { transaction } from '../platform/transaction.ts'

export interface NoteDeps {
  readonly db: Db
  readonly audit: Pick<Audit, 'record'>
}

export interface NotedObject {
  readonly objectType: NotedType
  readonly objectId: string
}

// More than anybody reads; the newest come first.
const notesMax = 200

const noteRows = (db: Db) =>
  db
    .selectFrom('object_notes as n')
    .innerJoin('users as u', 'u.id', 'n.author_id')
    .select(['n.id', 'n.author_id', 'u.username as author', 'n.text', 'n.created_at'])
    .select(['n.object_type', 'n.object_id'])

/** Who may open an object may read what is noted about it. */
const permissionFor: Record<NotedType, Permission> = {
  user: 'userManagement',
  number: 'numbersManagement',
  range: 'numbersManagement',
  connection: 'interconnectionApi',
  provider: 'httpProviders',
  endpoint: 'interconnectionApi',
  billing_period: 'paymentManagement',
  integrity_case: 'holdReview',
}

function checkMayOpen({ objectType }: NotedObject, { role }: Actor): void {
  if (!isPermitted(role, permissionFor[objectType])) throw unknownObject()
}

const unknownObject = () => new Refusal('not_found', 'There is no such object. It may have been deleted.')
const unknownNote = () => new Refusal('not_found', 'There is no such note. It may have been deleted.')

/** The notes on an object, newest first. Throws Refusal not_found for one that the caller may not open. */
export async function listNotes(db: Db, object: NotedObject, actor: Actor): Promise<Note[]> {
  checkMayOpen(object, actor)
  const found = await noteRows(db)
    .where('n.object_type', '=', object.objectType)
    .where('n.object_id', '=', object.objectId)
    .orderBy('n.id', 'desc')
    .limit(notesMax)
    .execute()
  return found.map(toReply)
}

/** Adds a note. Throws Refusal not_found for an object that does not exist. */
export async function addNote(
  { db, audit }: NoteDeps,
  { text, ...object }: NotedObject & { readonly text: string },
  by: Caller,
): Promise<Note> {
  checkMayOpen(object, by.actor)
  const note = await row<{ id: string }>(
    db,
    sql`insert into object_notes (object_type, object_id, author_id, text)
        select ${object.objectType}, ${object.objectId}, ${by.actor.userId}, ${text}
        where exists (${existing(object)}) returning id`,
  )
  if (note === undefined) throw unknownObject()
  await audit.record(db, {
    ...object,
    ...by,
    action: 'note.create',
    after: { note: note.id },
  })
  const added = await findNote(db, note.id)
  if (added === undefined) throw new Error('The note was not added')
  return toReply(added)
}

/** Deletes a note of the caller's own; an admin's right over any. */
export async function deleteNote({ db, audit }: NoteDeps, id: string, by: Caller): Promise<void> {
  await transaction(db, async (tx) => {
    const note = await findNote(tx, id)
    if (note === undefined || (note.author_id !== by.actor.userId && by.actor.role !== 'admin'))
      throw unknownNote()
    await tx.deleteFrom('object_notes').where('id', '=', id).execute()
    await audit.record(tx, {
      ...by,
      action: 'note.delete',
      objectType: note.object_type,
      objectId: note.object_id,
      before: { note: id, author: note.author },
    })
  })
}

/** Deletes notes on cases that are kept no longer: they may name a subscriber. */
export async function forgetNotes(db: Db): Promise<void> {
  await sql`delete from object_notes where object_type = 'integrity_case' and not exists (
      select from integrity_cases c where c.id = object_id::bigint)`.execute(db)
}

function findNote(db: Db, id: string) {
  return noteRows(db).where('n.id', '=', id).executeTakeFirst()
}

/** A query with a row when the object exists. */
function existing({ objectType, objectId }: NotedObject): RawBuilder<unknown> {
  if (objectType === 'billing_period') {
    const { cycleId = 0, userId = 0 } = parsePeriodId(objectId) ?? {}
    return sql`select from cycles c cross join users u where c.id = ${cycleId} and u.id = ${userId}`
  }
  if (objectType === 'provider')
    return sql`select from providers where coalesce(slug, id::text) = ${objectId} and deleted_at is null`
  // A text that is not an id, such as another object's, is no row's.
  const id = /^\d{1,10}$/.test(objectId) ? objectId : '0'
  return {
    user: sql`select from users where id = ${id}::bigint`,
    number: sql`select from numbers where id = ${id}::bigint and deleted_at is null`,
    range: sql`select from ranges where id = ${id}::bigint and deleted_at is null`,
    connection: sql`select from smpp_connections where id = ${id}::bigint`,
    endpoint: sql`select from endpoints where id = ${id}::bigint`,
    integrity_case: sql`select from integrity_cases where id = ${id}::bigint`,
  }[objectType]
}
