// Measures a CDR file of all records of a filled database: records a second, and the gateway's memory over idle.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@tollgate/server/platform/db.ts'
import { residentMb, startGateway } from '@tollgate/server/test/environment/children.ts'
import { fillRecords } from '@tollgate/server/test/traffic/fill.ts'
import { benchPassword, signInAsAdmin, type Call } from '@tollgate/server/test/http/operator.ts'
import { untilFollowersRest } from './followers.ts'
import { onNewServer } from './on-server.ts'

const formats = ['csv', 'parquet'] as const
const days = 60
const batchRecords = 100
const lookEveryMs = 50

interface CdrFileFacts {
  readonly name: string
  readonly state: string
  readonly recordCount: number
  readonly sizeBytes: number
  readonly error: string
}

/** Fills a database, then has one file of each format written to a folder; gives the table. */
export async function measureCdrFiles(records: number): Promise<string> {
  return onNewServer('on', async ({ database, url }, dataDir) => {
    await fillRecords(database.pool, { records, days, now: new Date(), batchRecords })
    const lines: string[] = []
    for (const format of formats) {
      const folder = join(dataDir, format)
      await mkdir(folder)
      const gateway = await startGateway(url, join(dataDir, 'gateway'), benchPassword, { CDR_DIR: folder })
      try {
        const call = await signInAsAdmin(gateway.url)
        await untilFollowersRest(database)
        lines.push(await measureOne({ database, call, pid: gateway.pid, folder }, format, records))
      } finally {
        await gateway.stop()
      }
    }
    return [
      `All 25 columns of ${records.toLocaleString('en')} records in batches of ${batchRecords}, to a folder. The idle gateway is that of the moment before, when the followers of the log had read all; memory is looked at every ${lookEveryMs} ms. Nothing else is sent meanwhile.`,
      '',
      '| format | records | file | time | records/s | gateway idle | most meanwhile | over idle |',
      '|---|---|---|---|---|---|---|---|',
      ...lines,
    ].join('\n')
  })
}

interface CdrTestbed {
  readonly database: Database
  readonly call: Call
  readonly pid: number
  readonly folder: string
}

async function measureOne(
  { database, call, pid, folder }: CdrTestbed,
  format: string,
  records: number,
): Promise<string> {
  const name = `bench-${format}`
  const destination = { type: 'folder', path: '' }
  const { id } = (await call('POST', '/api/cdr-schedules', { name, every: 'day', format, destination })) as {
    id: string
  }
  const idleMb = residentMb(pid)
  let peakMb = idleMb
  const watch = setInterval(() => (peakMb = Math.max(peakMb, residentMb(pid))), lookEveryMs)
  const startedAtMs = performance.now()
  // Everything that is stored, in a period that is over.
  await database.pool.query(
    `update cdr_schedules set position = '0', period_from = '2020-01-01', period_to = clock_timestamp() - interval '6 s'
     where id = $1`,
    [id],
  )
  const file = await firstDelivered(call, id).finally(() => clearInterval(watch))
  const seconds = (performance.now() - startedAtMs) / 1_000
  await call('POST', `/api/cdr-schedules/${id}/pause`)
  const manifest = JSON.parse(await readFile(join(folder, `${file.name}.json`), 'utf8')) as {
    records: number
  }
  if (file.recordCount !== records || manifest.records !== records)
    throw new Error(`The file has ${file.recordCount} of ${records} records`)
  const cells = [
    format,
    records.toLocaleString('en'),
    `${Math.round(file.sizeBytes / 1e6)} MB`,
    `${Math.round(seconds)} s`,
    Math.round(records / seconds).toLocaleString('en'),
    `${idleMb} MB`,
    `${peakMb} MB`,
    `${peakMb - idleMb} MB`,
  ]
  return `| ${cells.join(' | ')} |`
}

async function firstDelivered(call: Call, id: string): Promise<CdrFileFacts> {
  for (;;) {
    const files = (await call('GET', `/api/cdr-schedules/${id}/files`)) as CdrFileFacts[]
    const first = files.at(-1)
    if (first?.state === 'delivered') return first
    if (first !== undefined && first.error !== '') throw new Error(first.error)
    await sleep(500)
  }
}
