import pg from 'pg'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { createTestAudit } from '../../test/people/audit.ts'
import { fixedClock, openTestDatabase, silentLog } from '../../test/environment/database.ts'
import { temporaryFolder } from '../../test/environment/temporary-folder.ts'
import { execute, openDatabase, row, rows } from '../platform/db.ts'
import { applicationRole, ensureOwnDatabase, ownerRole } from './embedded/roles.ts'
import { openStorage } from './storage.ts'

const { db, address } = await openTestDatabase({ user: applicationRole })
const owner = openDatabase({ address: { ...address, user: ownerRole }, maxConnections: 2 })
afterAll(() => owner.close())
// As the embedded database is made.
await ensureOwnDatabase(owner.pool, address.database)
const refused = (statement: string) =>
  execute(db, statement).then(
    () => 'done',
    (error: unknown) => (error instanceof pg.DatabaseError ? error.code : error),
  )
const denied = '42501'

const appendOnly = ['audit_entries', 'ledger_lines', 'ledger_batches', 'rates']

test.each(appendOnly)(
  'the program can add to %s and read it, and nothing else, whatever it sends',
  async (table) => {
    await createTestAudit({ db, clock: fixedClock() }).record(db, {
      actor: { userId: 1, username: 'anna' },
      ip: '192.0.2.1',
      action: 'user.edit',
      objectType: 'user',
      objectId: '1',
    })
    const attempts = [
      `delete from ${table}`,
      `update ${table} set id = default`,
      `truncate ${table}`,
      `alter table ${table} disable trigger all`,
      `alter table ${table} disable trigger user`,
      `drop trigger ${table}_append_only on ${table}`,
      `alter table ${table} owner to ${applicationRole}`,
      `alter table ${table} drop column id`,
      `drop table ${table}`,
      `create trigger mine before insert on ${table} execute function refuse_change()`,
      `create rule mine as on insert to ${table} do instead nothing`,
      `create or replace function refuse_change() returns trigger language plpgsql as 'begin return new; end'`,
      `set session_replication_role = replica; delete from ${table}`,
      `begin; set local session_replication_role = replica; update ${table} set id = default; commit`,
      `copy ${table} to program 'cat'`,
      `merge into ${table} t using (select 1) s on true when matched then delete`,
    ]
    for (const statement of attempts) {
      expect([statement, await refused(statement)]).toEqual([statement, denied])
      await execute(db, 'rollback')
    }
    expect(await rows(db, sql`select from ${sql.table(table)} limit 1`)).toBeDefined()
  },
)

test.each([
  ['set role tollgate_owner'],
  ['set session authorization postgres'],
  ['set role postgres'],
  ['create role mine superuser'],
  ['alter role tollgate_app superuser'],
  ['create database mine'],
  ['create extension plpython3u'],
  ['create table mine (x int)'],
  ['create temporary table audit_entries (x int)'],
  ['create schema mine'],
  ["create function mine() returns int language sql security definer as 'select 1'"],
  ["alter system set archive_command = 'true'"],
  ["select pg_read_file('PG_VERSION')"],
  ["copy (select 1) to '/tmp/mine'"],
  ['select grant_to_application(current_user)'],
  ["update schema_migrations set checksum = ''"],
  ['delete from audit_head'],
  ['delete from audit_keys'],
  ['update audit_keys set id = default'],
  ['delete from records'],
  ['drop table records_default'],
  ['alter table numbers add column mine int'],
])('the program may not %s', async (statement) => {
  const outcome = await refused(statement)
  // A role may call this function, but the grants in it do nothing: it owns nothing and may pass on no right.
  if (statement.includes('grant_to_application')) expect(outcome).toBe('done')
  else expect(outcome).toBe(denied)
})

test('weeks are made and dropped by functions that refuse what is not over or no week', async () => {
  await execute(db, `select ensure_record_week('2024-05-07')`)
  const names = async () =>
    (await rows<{ name: string }>(db, sql`select relname as name from pg_class where relname ~ '_20240506$'`))
      .length
  expect(await names()).toBeGreaterThan(1)
  const thisWeek = (await row<{ day: string }>(
    db,
    sql`select date_trunc('week', now() at time zone 'UTC')::date as day`,
  ))!.day
  await execute(db, 'select ensure_record_week(now())')
  for (const [parent, week] of [
    ['records', thisWeek],
    ['audit_entries', '2024-05-06'],
    ['records', '2024-05-07'],
    ['records', '1999-01-04'],
    ['records; drop table users; --', '2024-05-06'],
  ])
    await expect(sql`select drop_record_week(${parent}, ${week}::date, false)`.execute(db)).rejects.toThrow(
      /too young|no weeks? /,
    )
  await expect(sql`select ensure_record_week('1990-01-01')`.execute(db)).rejects.toThrow('no week is made')
  // The functions set their own search_path, so a temporary object of the caller cannot replace what they name.
  await execute(
    db,
    `set search_path = pg_temp, public; select drop_record_week('records', '2024-05-06', false); reset search_path`,
  )
  await execute(db, `select drop_record_week('record_batches', '2024-05-06', false)`)
  expect(await names()).toBe(0)
})

test('the role has what it needs and no more: what somebody granted besides is taken back, a new table is added', async () => {
  await execute(
    owner.db,
    `create table newcomer (id int); grant update, delete on audit_entries to ${applicationRole}`,
  )
  expect(await refused('delete from audit_entries')).toBe('42501')
  await execute(owner.db, `grant truncate on ledger_lines to ${applicationRole}`)
  await execute(owner.db, `select grant_to_application('${applicationRole}')`)
  expect(await refused('insert into newcomer values (1); delete from newcomer')).toBe('done')
  expect(await refused('truncate ledger_lines')).toBe(denied)
  const before = await row(owner.db, sql`select max(xmin::text::bigint) as xmin from pg_class`)
  await execute(owner.db, `select grant_to_application('${applicationRole}')`)
  expect(await row(owner.db, sql`select max(xmin::text::bigint) as xmin from pg_class`)).toEqual(before)
  await execute(owner.db, 'drop table newcomer')
})

test('with two addresses the owner migrates and the program runs as the other; with one it says what that may', async () => {
  const warnings: unknown[] = []
  const log = Object.create(silentLog, { warn: { value: (line: unknown) => void warnings.push(line) } })
  const url = (user: string) =>
    `postgres://${user}@localhost/${address.database}?host=${encodeURIComponent(address.host)}`
  const dataDir = await temporaryFolder()
  const two = await openStorage(
    { databaseUrl: url(applicationRole), migrationDatabaseUrl: url(ownerRole), dataDir },
    log,
  )
  expect(await row(two.database.db, sql`select current_user as name`)).toEqual({ name: applicationRole })
  await two.close()
  expect(warnings).toEqual([])
  const one = await openStorage({ databaseUrl: url('postgres'), dataDir }, log)
  await one.close()
  expect(warnings).toEqual([{ powers: ['superuser', 'createrole', 'owner of the tables'] }])
})
