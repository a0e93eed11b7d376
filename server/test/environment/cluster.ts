// One PostgreSQL cluster for many tests, and in it a migrated template to copy. The server tests run it once before all
// of them, and so do the browser tests.
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/platform/db.ts'
import { applicationRole, ensureRoles, ownerRole } from '../../src/storage/embedded/roles.ts'
import { startEmbedded } from '../../src/storage/embedded/start.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { quickFolder } from './quick-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresHost: string
  }
}

const templateName = 'tollgate_template'

// The cluster is thrown away after the run, so nothing in it needs to survive a power cut.
const throwawaySettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  max_connections: '300',
  autovacuum: 'off',
  min_wal_size: '80MB',
  max_wal_size: '256MB',
}

const roomBytes = 2 * 1024 ** 3

/** Starts a cluster with the template. Gives the folder of its socket, and a function that ends it. */
export async function startThrowawayCluster(): Promise<{ host: string; stop: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(quickFolder(roomBytes), 'tg-'))
  const server = await startEmbedded({ dataDir, settings: throwawaySettings })
  await makeTemplate(server.host)
  return {
    host: server.host,
    async stop() {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Called by vitest before all tests. @public */
// oxlint-disable-next-line import/no-default-export -- vitest takes a global set-up by its default export only
export default async function startCluster({ provide }: TestProject): Promise<() => Promise<void>> {
  const { host, stop } = await startThrowawayCluster()
  provide('postgresHost', host)
  return stop
}

/** Makes a database from the template, or from another database that nobody is connected to. */
export function copyTemplate(host: string, name: string, template = templateName): Promise<void> {
  return administer(
    host,
    `create database ${name} template ${template} strategy file_copy owner ${ownerRole}`,
  )
}

/** Runs a statement as the cluster's superuser. */
export async function administer(host: string, statement: string): Promise<void> {
  const admin = openDatabase({ address: { host, database: 'postgres' }, maxConnections: 1 })
  try {
    await admin.pool.query(statement)
  } finally {
    await admin.close()
  }
}

async function makeTemplate(host: string): Promise<void> {
  const admin = openDatabase({ address: { host, database: 'postgres' }, maxConnections: 1 })
  await ensureRoles(admin.pool)
  await admin.pool.query(`create database ${templateName} owner ${ownerRole}`)
  await admin.close()
  const address = { host, database: templateName, user: ownerRole }
  const template = openDatabase({ address, maxConnections: 2 })
  await migrate(template.pool)
  await template.pool.query('select grant_to_application($1)', [applicationRole])
  await template.close()
  // The first connection behind all changes writes down what each connection to a copy needs of the catalogue.
  const last = openDatabase({ address, maxConnections: 1 })
  await last.pool.query('select')
  await last.close()
}
