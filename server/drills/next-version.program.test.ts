// What four weeks of the demo leave, and what other calls leave in the slices that it does not use, goes to the next version
// and back by the backup.
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { eventually } from '../test/environment/eventually.ts'
import { freePort } from '../test/environment/free-port.ts'
import {
  builtPrograms,
  runCommand,
  signedIn,
  startProgram,
  startScript,
  temporaryFolder,
} from '../test/environment/program.ts'
import { tablesOf, type MovedTable } from '../src/backup/move/contents.ts'
import { openDatabase } from '../src/platform/db.ts'
import { ownerRole } from '../src/storage/embedded/roles.ts'
import { startEmbedded } from '../src/storage/embedded/start.ts'
import { migrate } from '../src/storage/migrate.ts'
import { fillSlices } from './fill-slices.ts'
import { makeNextVersion } from './next-version.ts'

const patienceMs = 300_000

/** How many rows each table has, and a hash of all of them in these columns. */
async function rowsOf(client: pg.Client, tables: readonly MovedTable[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name, columns } of tables) {
    const { rows } = await client.query<{ rows: string }>(
      `select count(*) || ' rows ' || coalesce(md5(string_agg(hash, '' order by hash)), '') as rows
       from (select md5(row(${columns})::text) as hash from ${name}) each_row`,
    )
    found[name] = rows[0]?.rows ?? ''
  }
  return found
}

/** Works on the database of a folder while no gateway does. */
async function onDatabase<T>(
  dataDir: string,
  work: (client: pg.Client, address: { host: string; database: string }) => Promise<T>,
): Promise<T> {
  const server = await startEmbedded({ dataDir })
  const address = { host: server.host, database: 'tollgate' }
  const client = new pg.Client({ ...address, user: 'postgres' })
  try {
    await client.connect()
    return await work(client, address)
  } finally {
    await client.end()
    await server.stop()
  }
}

test(
  'the next version finds each row as it was, the former one is refused, and the backup is what it was made of',
  async () => {
    const [dataDir, folder] = [await temporaryFolder(), await temporaryFolder()]
    const smppPort = await freePort()
    const environment = {
      DATA_DIR: dataDir,
      SMPP_PORT: String(smppPort),
      HTTP_PORT: String(await freePort()),
      EGRESS_ALLOW: '127.0.0.0/8',
    }
    const next = await makeNextVersion(join(folder, 'next'), builtPrograms())
    const backup = join(folder, 'backup')
    const demo = await startProgram('demo', environment)
    await demo.ready
    const password = /^ {2}admin +(\S+)/m.exec(demo.stdout())?.[1] ?? ''
    const asAdmin = await signedIn(demo, 'admin', password)
    // The demo links itself to the outside once it is ready; this is its last link.
    await eventually(async () => expect(await asAdmin('GET', '/api/endpoints')).not.toEqual([]))
    await fillSlices({ url: demo.url, smppPort, call: asAdmin })
    demo.kill('SIGTERM')
    expect((await demo.exited).code).toBe(0)

    const { tables, before, applied, after } = await onDatabase(dataDir, async (client, address) => {
      const found = await tablesOf(client)
      const rows = await rowsOf(client, found)
      expect(await runCommand('backup', [backup, '--data-dir', dataDir], {})).toMatchObject({ code: 0 })
      const owner = openDatabase({ address: { ...address, user: ownerRole } })
      const names = await migrate(owner.pool, next.migrations)
      await owner.close()
      return { tables: found, before: rows, applied: names, after: await rowsOf(client, found) }
    })
    expect(applied).toEqual([next.step])
    expect(after).toEqual(before)
    const filled = Object.values(before).filter((rows) => !rows.startsWith('0 '))
    expect(filled.length).toBeGreaterThan(110)

    const former = await startProgram('main', environment)
    expect(await former.exited).toMatchObject({ code: 1 })
    expect(former.stderr()).toBe(
      `The database was made by a newer Tollgate (it has ${next.step}, unknown here). Start that version instead.\n`,
    )
    const newer = await startScript(next.program, environment)
    await newer.ready
    const call = await signedIn(newer, 'admin', password)
    expect(await call('GET', '/api/users')).not.toEqual([])
    // On a busy machine the first look at the database may take longer than it may.
    await eventually(async () => expect((await fetch(`${newer.url}/readyz`)).status).toBe(200))
    newer.kill('SIGTERM')
    expect((await newer.exited).code).toBe(0)

    const restored = join(folder, 'restored')
    const { code, stdout } = await runCommand('restore', [backup, '--data-dir', restored], {})
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('The ledger balances, and says what the records say.'),
    ])
    // Unlogged: a backup has none of it.
    const { flight_pdus: _, ...kept } = before
    expect(await onDatabase(restored, (client) => rowsOf(client, tables))).toEqual({
      ...kept,
      flight_pdus: '0 rows ',
    })
  },
  patienceMs,
)
