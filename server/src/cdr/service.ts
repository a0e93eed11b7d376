// What staff do with schedules and their files.
import type { z } from 'zod'
import {
  cdrSchedulesMax,
  type CdrDestination,
  type CdrFile,
  type CdrSchedule,
  type createCdrScheduleSchema,
  type editCdrScheduleSchema,
} from '@tollgate/contract/cdr/cdr.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { exportColumns } from '@tollgate/contract/records/export-columns.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { sql } from 'kysely'
import type { Audit } from '../audit/index.ts'
import type { Clock } from '../platform/clock.ts'
import { row, type Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import { checkVersion, nameTaken, refuseWhereBroken } from '../platform/refusals.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { afterCommit, transaction } from '../platform/transaction.ts'
import { endAfter } from './periods.ts'
import { secretContext } from './secret.ts'
import {
  countSchedules,
  deleteSchedule,
  findSchedule,
  hurryFiles,
  insertSchedule,
  sendAgain,
  setPaused,
  setSecret,
  updateSchedule,
  type ScheduleFields,
  type ScheduleRow,
} from './store.ts'
import { viewFile, viewSchedule } from './views.ts'

export interface ScheduleParts {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  /** CDR_DIR. */
  readonly cdrDir: string | undefined
  /** Called after each commit by which a file may be due. Must not throw. */
  readonly onChange: () => void
}

type Create = z.output<typeof createCdrScheduleSchema>
type Edit = z.output<typeof editCdrScheduleSchema>

export function unknownSchedule(): Refusal {
  return new Refusal('not_found', 'There is no such schedule.')
}

async function lockSchedule(tx: Db, id: number): Promise<ScheduleRow> {
  const found = await findSchedule(tx, id, 'for update')
  if (found === undefined) throw unknownSchedule()
  return found
}

async function requireView(db: Db, id: number): Promise<CdrSchedule> {
  const found = await viewSchedule(db, id)
  if (found === undefined) throw unknownSchedule()
  return found
}

/** Throws Refusal invalid for nobody's name, and for a folder where none is permitted. */
async function readFields(
  tx: Db,
  { cdrDir }: ScheduleParts,
  { client, gateway, name, every, format, columns, destination }: Create | Edit,
): Promise<ScheduleFields> {
  if (destination.type === 'folder' && cdrDir === undefined)
    throw new Refusal('invalid', 'Folders are not permitted: the operator must set CDR_DIR first.', {
      fields: { destination: 'Choose S3 or SFTP, or ask the operator to set CDR_DIR' },
    })
  if (every === 'archive') requireAll({ client, gateway, format, columns })
  const clientId = await idOf(tx, client, 'client', sql`select id from users where username = ${client}`)
  const gatewayId = await idOf(
    tx,
    gateway,
    'gateway',
    sql`select id from gateways where name = ${gateway} order by id limit 1`,
  )
  return { name, every, format, columns, clientId, gatewayId, destination }
}

/** An archive stands for what was stored: nothing may be missing in it. */
function requireAll({
  client,
  gateway,
  format,
  columns,
}: Pick<Create, 'client' | 'gateway' | 'format' | 'columns'>) {
  const chosen = columns.split(',')
  const isAll =
    client === null &&
    gateway === null &&
    format === 'parquet' &&
    exportColumns.every((column) => chosen.includes(column))
  if (!isAll)
    throw new Refusal('invalid', 'An archive has all columns of all records, as Parquet.', {
      fields: { every: 'Choose Parquet, all columns, and no client or supplier' },
    })
}

async function idOf(
  tx: Db,
  name: string | null,
  field: 'client' | 'gateway',
  query: ReturnType<typeof sql>,
): Promise<number | null> {
  if (name === null) return null
  const found = await row<{ id: number }>(tx, query)
  if (found !== undefined) return found.id
  throw field === 'client'
    ? new Refusal('invalid', 'There is no client of this name.', {
        fields: { client: 'Choose an existing client' },
      })
    : new Refusal('invalid', 'There is no supplier of this name.', {
        fields: { gateway: 'Choose an existing supplier' },
      })
}

/** What the audit log shows: never the secret. */
function auditFields({ destination, ...fields }: ScheduleFields): object {
  return {
    ...fields,
    ...Object.fromEntries(Object.entries(destination).map(([key, value]) => [`to ${key}`, value])),
  }
}

interface Entry {
  readonly action: string
  readonly id: number
  readonly before?: object
  readonly after?: object
}

async function recordAudit(parts: ScheduleParts, tx: Db, { actor, ip }: Caller, entry: Entry): Promise<void> {
  const { action, id, before, after } = entry
  afterCommit(tx, parts.onChange)
  await parts.audit.record(tx, {
    actor,
    ip,
    action,
    objectType: 'cdr_schedule',
    objectId: String(id),
    before,
    after,
  })
}

const nameKey = 'cdr_schedules_name_key'

export async function createSchedule(
  parts: ScheduleParts,
  tx: Db,
  input: Create,
  caller: Caller,
): Promise<CdrSchedule> {
  const fields = await readFields(tx, parts, input)
  requireSecret(input.destination, input.secret)
  if ((await countSchedules(tx)) >= cdrSchedulesMax)
    throw new Refusal(
      'wrong_state',
      sentence('There are {count} schedules already. Delete one that is not needed first.', {
        count: cdrSchedulesMax,
      }),
    )
  const now = parts.clock.now()
  const id = await refuseWhereBroken(
    nameKey,
    () =>
      nameTaken(
        sentence('There is a schedule named {name} already. Choose another name.', { name: input.name }),
      ),
    // An archive begins with what is stored already.
    () =>
      insertSchedule(
        tx,
        fields,
        now,
        fields.every === 'archive' ? new Date(now.getTime() + 1) : endAfter(now, fields.every),
      ),
  )
  await storeSecret(parts, tx, id, input)
  await recordAudit(parts, tx, caller, { action: 'cdr_schedule.create', id, after: auditFields(fields) })
  return requireView(tx, id)
}

function requireSecret({ type }: CdrDestination, secret: string): void {
  if (type !== 'folder' && secret === '')
    throw new Refusal('invalid', 'The destination needs its secret.', {
      fields: {
        secret: type === 's3' ? 'Enter the secret access key' : 'Enter the password or the private key',
      },
    })
}

async function storeSecret(
  { secrets }: ScheduleParts,
  tx: Db,
  id: number,
  { destination, secret }: Pick<Create, 'destination' | 'secret'>,
): Promise<void> {
  if (destination.type === 'folder') await setSecret(tx, id, null)
  else if (secret !== '') await setSecret(tx, id, secrets.encrypt(secret, secretContext(id)))
}

/** A stored secret goes only to where it was entered for: another address asks for it again. */
function isSamePlace(before: CdrDestination, after: CdrDestination): boolean {
  if (before.type === 's3' && after.type === 's3')
    return before.endpoint === after.endpoint && before.accessKeyId === after.accessKeyId
  return (
    before.type === 'sftp' &&
    after.type === 'sftp' &&
    before.host === after.host &&
    before.port === after.port &&
    before.username === after.username &&
    before.signIn === after.signIn
  )
}

export async function editSchedule(
  parts: ScheduleParts,
  id: number,
  { version, ...input }: Edit,
  caller: Caller,
): Promise<CdrSchedule> {
  return transaction(parts.db, async (tx) => {
    const before = await lockSchedule(tx, id)
    checkVersion(version, before.version)
    const fields = await readFields(tx, parts, input)
    if ((before.every === 'archive') !== (fields.every === 'archive'))
      throw new Refusal('wrong_state', 'An archive stays one, and no other schedule becomes one.', {
        fields: { every: 'Add another schedule' },
      })
    if (!isSamePlace(before.destination, input.destination)) requireSecret(input.destination, input.secret)
    // An hour or day that was begun goes into the next file of the new rhythm.
    const periodTo =
      before.every === fields.every ? before.periodTo : endAfter(parts.clock.now(), fields.every)
    await refuseWhereBroken(
      nameKey,
      () =>
        nameTaken(
          sentence('There is a schedule named {name} already. Choose another name.', { name: input.name }),
        ),
      () => updateSchedule(tx, id, fields, periodTo),
    )
    await storeSecret(parts, tx, id, input)
    await hurryFiles(tx, id)
    await recordAudit(parts, tx, caller, {
      action: 'cdr_schedule.update',
      id,
      before: auditFields(fieldsOf(before)),
      after: auditFields(fields),
    })
    return requireView(tx, id)
  })
}

function fieldsOf({
  name,
  every,
  format,
  columns,
  clientId,
  gatewayId,
  destination,
}: ScheduleRow): ScheduleFields {
  return { name, every, format, columns, clientId, gatewayId, destination }
}

export async function removeSchedule(parts: ScheduleParts, id: number, caller: Caller): Promise<void> {
  await transaction(parts.db, async (tx) => {
    const before = await lockSchedule(tx, id)
    await deleteSchedule(tx, id)
    await recordAudit(parts, tx, caller, {
      action: 'cdr_schedule.delete',
      id,
      before: auditFields(fieldsOf(before)),
    })
  })
}

export async function pauseSchedule(
  parts: ScheduleParts,
  id: number,
  isPaused: boolean,
  caller: Caller,
): Promise<CdrSchedule> {
  return transaction(parts.db, async (tx) => {
    const { name, isPaused: wasPaused } = await lockSchedule(tx, id)
    if (wasPaused !== isPaused) {
      await setPaused(tx, id, isPaused)
      if (!isPaused) await hurryFiles(tx, id)
      const action = isPaused ? 'cdr_schedule.pause' : 'cdr_schedule.resume'
      await recordAudit(parts, tx, caller, { action, id, after: { name } })
    }
    return requireView(tx, id)
  })
}

export async function sendFile(
  parts: ScheduleParts,
  id: number,
  fileId: string,
  caller: Caller,
): Promise<CdrFile> {
  return transaction(parts.db, async (tx) => {
    const { isPaused } = await lockSchedule(tx, id)
    if (isPaused) throw new Refusal('wrong_state', 'This schedule is paused. Resume it first.')
    const sent = await sendAgain(tx, id, fileId)
    if (sent === 'gone')
      throw new Refusal(
        'wrong_state',
        'The records of this week are not stored any more: the file that was delivered is all there is.',
      )
    const file = sent === 'done' ? await viewFile(tx, fileId) : undefined
    if (file === undefined) throw new Refusal('not_found', 'There is no such file.')
    await recordAudit(parts, tx, caller, { action: 'cdr_schedule.send', id, after: { file: file.name } })
    return file
  })
}
