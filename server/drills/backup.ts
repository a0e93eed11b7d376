// A backup is taken by the command under load, and a gateway is started on the copy.
import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { startGateway } from '../test/environment/children.ts'
import { freePort } from '../test/environment/free-port.ts'
import { benchPassword, signInAsAdmin } from '../test/http/operator.ts'
import { findRunning } from '../src/storage/embedded/find-running.ts'
import { addSupplier } from './business.ts'
import { checkAll, verdictOf, type DatabaseAddress } from './checker.ts'
import { until } from './conditions.ts'
import { defineDrill } from './define.ts'
import { drillFolder, makeEmbeddedTestbed } from './embedded-testbed.ts'
import { Suppliers } from './suppliers.ts'

export const backup = defineDrill({
  name: 'backup',
  summary: 'an online backup under load, restored onto a second cluster that takes traffic at once',
  options: { seconds: 30, perSecond: 2_000, megabytesPerSecond: 32 },
  short: { seconds: 1, perSecond: 500, megabytesPerSecond: 256 },
  async run({ options, random, note, onEnd }) {
    const testbed = await makeEmbeddedTestbed({ onEnd })
    const gateway = await testbed.start()
    const supplier = await addSupplier(testbed.url)
    const load = { ...supplier, digits: testbed.digits, binds: 4, window: 50, repeatShare: 0, random }
    const suppliers = new Suppliers({ ...load, ports: [testbed.smppPort], perSecond: options.perSecond })
    onEnd(() => suppliers.stop())
    suppliers.start()
    await until('the first acknowledgements', () => suppliers.acknowledged > 0)
    await sleep(options.seconds * 1_000)

    const folder = join(await drillFolder({ onEnd }), 'backup')
    const before = suppliers.acknowledged
    suppliers.restartPauses()
    const program = join(import.meta.dirname, 'backup.js')
    const rate = ['--megabytes-per-second', String(options.megabytesPerSecond)]
    const { stdout } = await promisify(execFile)(process.execPath, [
      program,
      folder,
      '--data-dir',
      testbed.dataDir,
      ...rate,
    ])
    note(stdout.trim())
    const pauseMs = suppliers.longestPauseMs
    const meanwhile = suppliers.acknowledged - before
    suppliers.pause()
    await suppliers.drain(15_000)
    await suppliers.stop()
    const source = await requireAddress(testbed.dataDir)

    // A backup does not contain the key: it is restored separately.
    await copyFile(join(testbed.dataDir, 'secret.key'), join(folder, 'secret.key'))
    const second = await startGateway('', folder, benchPassword, { SMPP_PORT: String(await freePort()) })
    onEnd(() => second.stop('SIGTERM'))
    const restored = await requireAddress(folder)
    const { journal } = suppliers
    const found = await checkAll(restored, [
      // The backup must contain everything that was acknowledged when it began.
      { ...journal, acknowledgedIds: journal.acknowledgedIds.slice(0, before) },
    ])
    const { isPassed, breaches, figures } = verdictOf(found)
    for (const breach of breaches) note(breach)
    const differing = await differences(source, restored)
    for (const line of differing) note(line)

    await signInAsAdmin(second.url)
    const after = new Suppliers({ ...load, ports: [second.port], perSecond: 500 }, suppliers.nextKey)
    onEnd(() => after.stop())
    after.start()
    await until('the restored gateway acknowledges', () => after.acknowledged >= 100)
    await after.stop()
    await Promise.all([gateway.stop(), second.stop()])
    return {
      isPassed: isPassed && differing.length === 0,
      figures: [
        ...figures(before),
        `${meanwhile.toLocaleString('en')} acknowledged during the backup`,
        `longest pause meanwhile ${(pauseMs / 1_000).toFixed(2)} s`,
        `${differing.length} differences between copy and source`,
      ],
    }
  },
})

async function requireAddress(dataDir: string): Promise<DatabaseAddress> {
  const running = await findRunning(dataDir)
  if (running === undefined) throw new Error(`No database is running in ${dataDir}`)
  return running
}

// A hash of each batch of the log: of everything that its transaction wrote about records and money.
const batchesSql = `
  select b.id::text, md5(string_agg(r.id || '|' || r.created_at || '|' || coalesce(r.client_id, 0) || '|'
    || r.amount_micro || '|' || r.sender, ',' order by r.id)) as hash
  from record_batches b join records r on r.id / 4096 = b.id group by b.id`

/** Batches of the copy that are missing or different in the source, and tables with another number of rows. */
async function differences(source: DatabaseAddress, restored: DatabaseAddress): Promise<string[]> {
  const [ours, theirs] = [await readAll(source), await readAll(restored)]
  const lines: string[] = []
  for (const [id, hash] of theirs.batches)
    if (ours.batches.get(id) !== hash) lines.push(`batch ${id} of the copy is not as in the source`)
  for (const [name, count] of theirs.counts)
    if (ours.counts.get(name) !== count)
      lines.push(`${name}: ${count} rows in the copy, ${ours.counts.get(name)} in the source`)
  return lines
}

async function readAll(address: DatabaseAddress) {
  const client = new pg.Client(
    typeof address === 'string' ? { connectionString: address } : { ...address, user: 'postgres' },
  )
  await client.connect()
  try {
    const batches = await client.query<{ id: string; hash: string }>(batchesSql)
    const counts = new Map<string, number>()
    for (const table of [
      'users',
      'numbers',
      'number_holders',
      'ranges',
      'smpp_credentials',
      'schema_migrations',
    ]) {
      const { rows } = await client.query<{ count: number }>(`select count(*)::int from ${table}`)
      counts.set(table, rows[0]?.count ?? 0)
    }
    return { batches: new Map(batches.rows.map(({ id, hash }) => [id, hash])), counts }
  } finally {
    await client.end()
  }
}
