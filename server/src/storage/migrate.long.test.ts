import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { temporaryFolder } from '../../test/environment/temporary-folder.ts'
import { migrate, schemaState } from './migrate.ts'
import { StartFailure } from '../platform/process/start-failure.ts'

const folder = await temporaryFolder()
let count = 0

/** An empty database and a folder with the given migrations. */
async function stage(files: Record<string, string>) {
  const { pool } = await openTestDatabase()
  await pool.query('drop table schema_migrations')
  const home = join(folder, `m${++count}`)
  await mkdir(home)
  const write = (name: string, text: string) => writeFile(join(home, name), text)
  for (const [name, text] of Object.entries(files)) await write(name, text)
  return { pool, home, write, run: () => migrate(pool, home) }
}

const first = { '0001_a.sql': 'create table ma (x int); insert into ma values (1);' }

test('the product’s own migrations are at head in a fresh database, and a second run changes nothing', async () => {
  const { pool } = await openTestDatabase()
  expect(await schemaState(pool)).toBe('same')
  expect(await migrate(pool)).toEqual([])
})

test('files are applied once, in order', async () => {
  const { pool, home, run, write } = await stage({ ...first, '0002_b.sql': 'alter table ma add y int' })
  expect(await run()).toEqual(['0001_a.sql', '0002_b.sql'])
  expect(await run()).toEqual([])
  await write('0003_c.sql', 'create table mc ()')
  expect(await schemaState(pool, home)).toBe('other')
  expect(await run()).toEqual(['0003_c.sql'])
  expect(await schemaState(pool, home)).toBe('same')
  expect((await pool.query('select * from ma')).rows).toEqual([{ x: 1, y: null }])
})

test('nodes that start together apply each file once', async () => {
  const { run } = await stage(first)
  const outcomes = await Promise.all([run(), run(), run()])
  expect(outcomes.flat()).toEqual(['0001_a.sql'])
})

test('a file that fails leaves nothing of itself and says which it was', async () => {
  const { pool, run } = await stage({ '0001_bad.sql': 'create table half (); select nonsense;' })
  await expect(run()).rejects.toThrow(/^The migration 0001_bad.sql failed: /)
  expect((await pool.query(`select to_regclass('half') as found`)).rows).toEqual([{ found: null }])
})

test('a start on the schema of a newer version is refused; a node that runs while it comes stays ready', async () => {
  const { pool, run, home } = await stage(first)
  await run()
  await pool.query(`insert into schema_migrations (name, checksum) values ('0099_future.sql', '')`)
  await expect(run()).rejects.toThrow(StartFailure)
  await expect(run()).rejects.toThrow(/newer Tollgate \(it has 0099_future.sql/)
  expect(await schemaState(pool, home)).toBe('newer')
})

test('a database from before the first release is refused, and nothing is applied to it', async () => {
  const { pool, run, home } = await stage({ '0001_old.sql': 'create table mo (x int)' })
  await run()
  await rm(join(home, '0001_old.sql'))
  await Promise.all(
    Object.entries({ ...first, '0002_b.sql': 'create table mb ()' }).map(([name, text]) =>
      writeFile(join(home, name), text),
    ),
  )
  await expect(run()).rejects.toThrow(StartFailure)
  await expect(run()).rejects.toThrow(/before the first release \(it has 0001_old.sql.*empty database/)
  expect((await pool.query(`select to_regclass('ma') as found`)).rows).toEqual([{ found: null }])
  expect(await schemaState(pool, home)).toBe('other')
})

test('an applied file that was changed is refused, and so is one put in between', async () => {
  const { run, write } = await stage({ ...first, '0003_c.sql': 'create table mc ()' })
  await run()
  await write('0002_late.sql', 'create table late ()')
  await expect(run()).rejects.toThrow(/0002_late.sql comes before 0003_c.sql/)
  await write('0001_a.sql', 'create table ma (x bigint)')
  await expect(run()).rejects.toThrow(
    'The file 0001_a.sql has changed since this database was made from it. Delete the database (its folder, DATA_DIR) and start again, or restore the file.',
  )
})

test('a table that somebody holds for a moment is waited for', async () => {
  const { pool, run, write } = await stage(first)
  await run()
  await write('0002_b.sql', 'alter table ma add y int')
  const holder = await pool.connect()
  await holder.query('begin; lock table ma in access share mode')
  const running = run()
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  await holder.query('commit')
  holder.release()
  expect(await running).toEqual(['0002_b.sql'])
})
