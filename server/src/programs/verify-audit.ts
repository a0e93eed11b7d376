// `npm run verify-audit -- FILE`: checks that the audit log is what the gateway wrote, in a file or in a database.
import { createReadStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { exportAuditChain, verifyAuditFile, type FileVerdict } from '../audit/index.ts'
import { openDatabase } from '../platform/db.ts'
import { complain, runCommand, say, UsageError } from '../platform/process/command.ts'
import { StartFailure } from '../platform/process/start-failure.ts'
import { findRunning } from '../storage/embedded/find-running.ts'
import { fingerprintOf } from '../platform/security/signing.ts'

const usage = `Usage: npm run verify-audit -- FILE [--heads FILE] [--key-file FILE]
       npm run verify-audit -- --data-dir ./data [--heads FILE]   (or with DATABASE_URL set, such as a restored backup)
  FILE        the export for checking from the console's Audit Log, or a plain dump by pg_dump
  --heads     a text with heads that were published and kept elsewhere: mails, lines of the log, what was copied
  --key-file  the gateway's secret.key; else SECRET_KEY, else DATA_DIR/secret.key`

const meanings: Record<FileVerdict['breaks'][number]['kind'], string> = {
  altered: 'was altered, or put in, or does not follow the one before it',
  missing: 'follows entries that were taken out',
  unkeyed: 'has no key in its link',
  unknown_key: 'was linked with a key that this SECRET_KEY does not open',
  cut: 'was the last one, and is gone',
  added: 'stands behind the end of the log',
  head: 'is the end of the log by a head that the gateway did not write',
  published: 'is not what was published of it: the log was rewritten, cut, or is older than that head',
}

/** The lines of a file, or of a database as the console would export them. */
async function sourceOf(file: string | undefined, dataDir: string | undefined) {
  if (file !== undefined)
    return {
      lines: () => createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity }),
      close: async () => undefined,
    }
  const address =
    process.env['DATABASE_URL'] || (dataDir === undefined ? undefined : await findRunning(dataDir))
  if (address === undefined) return undefined
  const database = openDatabase({ address, maxConnections: 2 })
  const lines = () =>
    createInterface({ input: Readable.from(exportAuditChain(database.db)), crlfDelay: Infinity })
  return { lines, close: () => database.close() }
}

async function secretKey(keyFile: string | undefined, dataDir: string): Promise<string> {
  const environmentKey = process.env['SECRET_KEY']
  if (keyFile === undefined && environmentKey !== undefined && environmentKey !== '')
    return environmentKey.trim()
  const file = keyFile ?? join(dataDir, 'secret.key')
  if (!existsSync(file))
    throw new StartFailure(`There is no key: set SECRET_KEY, or give the gateway's key file (${file}).`)
  return (await readFile(file, 'utf8')).trim()
}

function report({ entryCount, breaks, headCount, lastHead }: FileVerdict): number {
  say(`${entryCount} entries, ${headCount} published heads`)
  for (const { id, kind } of breaks) say(`  entry ${id} ${meanings[kind]}`)
  if (lastHead !== undefined)
    say(
      `The link of entry ${lastHead.entryId} is as published at ${lastHead.at} by ${fingerprintOf(lastHead.publicKey)}`,
    )
  say(
    breaks.length === 0
      ? 'YES: each entry is what the gateway wrote.'
      : 'NO: this is not the log that the gateway wrote.',
  )
  return breaks.length === 0 ? 0 : 1
}

const text = { type: 'string' } as const

interface AuditSource {
  readonly heads?: string
  readonly 'key-file'?: string
  readonly 'data-dir'?: string
}

async function run(values: AuditSource, file: string | undefined): Promise<number> {
  for (const name of [file, values.heads])
    if (name !== undefined && !existsSync(name)) {
      complain(`There is no file ${name}.`)
      return 2
    }
  const source = await sourceOf(file, values['data-dir'])
  if (source === undefined)
    throw values['data-dir'] === undefined
      ? new UsageError()
      : new StartFailure(`No Tollgate runs on ${values['data-dir']}. Start it first.`)
  try {
    const key = await secretKey(values['key-file'], values['data-dir'] ?? process.env['DATA_DIR'] ?? 'data')
    const heads = values.heads === undefined ? '' : await readFile(values.heads, 'utf8')
    return report(await verifyAuditFile({ lines: source.lines, secretKey: key, heads }))
  } finally {
    await source.close()
  }
}

await runCommand({
  usage,
  options: { heads: text, 'key-file': text, 'data-dir': text },
  run: ({ values, positionals: [file] }) => run(values, file),
  failedStatus: 2,
})
