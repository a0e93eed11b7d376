// Measures an import of 100,000 numbers over HTTP, and its effect on messages that arrive at the same time.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@tollgate/server/platform/db.ts'
import { residentMb, type GatewayProcess } from '@tollgate/server/test/environment/children.ts'
import { load } from './children.ts'
import { makeSupplier, type Call } from '@tollgate/server/test/http/operator.ts'
import { seedTraffic } from '@tollgate/server/test/traffic/seed-traffic.ts'
import { withGateway } from './with-gateway.ts'
import { writeLogThrough } from './write-log-through.ts'

const lineCount = 100_000
const rounds = 5
// Long enough for the import and for loading the new numbers into memory.
const seconds = 12
const restMs = 5_000
const messagesPerSecond = 2_000

function fileOf(round: number): string {
  const lines = ['Number,Description,Rate,Status,Country,Country Code']
  for (let line = 0; line < lineCount; line += 1)
    lines.push(`4477${round}${String(line).padStart(7, '0')},Line ${line},${(line % 500) / 100},active,,`)
  return lines.join('\n')
}

interface Imported {
  readonly tookMs: number
  readonly grownMb: number
}

async function importFile(call: Call, gateway: GatewayProcess, data: string): Promise<Imported> {
  const before = residentMb(gateway.pid)
  let peakMb = before
  const watch = setInterval(() => (peakMb = Math.max(peakMb, residentMb(gateway.pid))), 20)
  const begun = performance.now()
  try {
    const report = (await call('POST', '/api/premium-numbers/import', { data })) as { importedCount: number }
    if (report.importedCount !== lineCount) throw new Error(`${report.importedCount} were imported`)
    return { tookMs: performance.now() - begun, grownMb: peakMb - before }
  } finally {
    clearInterval(watch)
  }
}

async function fill(database: Database): Promise<readonly string[]> {
  const digits = await seedTraffic(database.db)
  await writeLogThrough(database)
  return digits
}

/** Measures and gives the table of the report. */
export function measureImports(): Promise<string> {
  return withGateway(fill, async ({ gateway, call }, digits) => {
    const supplier = await makeSupplier(call)
    const offer = () =>
      load({
        ...supplier,
        port: gateway.port,
        digits: [...digits],
        binds: 4,
        window: 50,
        seconds,
        perSecond: messagesPerSecond,
      })
    // The first run warms the program and the database.
    await offer()
    const lines: string[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const data = fileOf(round)
      await sleep(restMs)
      const alone = await offer()
      const [beside, imported] = await Promise.all([offer(), importFile(call, gateway, data)])
      lines.push(
        `| ${round} | ${(imported.tookMs / 1_000).toFixed(1)} s | ${imported.grownMb} MB | ${alone.p50Ms.toFixed(1)} | ${alone.p99Ms.toFixed(1)} | ${alone.maxMs.toFixed(0)} | ${beside.p50Ms.toFixed(1)} | ${beside.p99Ms.toFixed(1)} | ${beside.maxMs.toFixed(0)} | ${beside.refused} |`,
      )
      console.log(lines.at(-1))
    }
    return [
      `| round | import of ${lineCount.toLocaleString('en-GB')} lines | memory over before | ${messagesPerSecond.toLocaleString('en-GB')} messages a second alone: p50 ms | p99 ms | longest | with the import: p50 ms | p99 ms | longest | refused |`,
      '|---|---|---|---|---|---|---|---|---|---|',
      ...lines,
    ].join('\n')
  })
}
