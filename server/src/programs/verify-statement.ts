// `npm run verify-statement -- FILE`: checks that a statement's totals are those of its records, by the file alone, and
// against the database when one is named.
import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { EndLine } from '@tollgate/contract/statements/statement-format.ts'
import { verifyAgainst, verifyFile } from '../statements/index.ts'
import { openDatabase } from '../platform/db.ts'
import { runCommand, say, UsageError } from '../platform/process/command.ts'
import { StartFailure } from '../platform/process/start-failure.ts'
import { findRunning } from '../storage/embedded/find-running.ts'
import { fingerprintOf } from '../platform/security/signing.ts'

const usage = `Usage: npm run verify-statement -- FILE [--key BASE64] [--data-dir ./data]
  --key       the public key you trust, from the console's GET /api/billing/statement-key
  --data-dir  also compare with the database of the Tollgate that runs on this folder (or set DATABASE_URL)`

const linesOf = (file: string): AsyncIterable<string> =>
  createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })

function report(faults: readonly { readonly line: number; readonly what: string }[]): boolean {
  for (const { line, what } of faults) say(`  line ${line}: ${what}`)
  return faults.length === 0
}

/** The decisions on messages that had been held; empty without any. */
function decisionsIn({ released = '0.00', refused = '0.00' }: EndLine): string {
  return released === '0.00' && refused === '0.00'
    ? ''
    : `Decided on held messages: ${released} released from earlier periods, ${refused} refused`
}

async function checkFile(file: string, trustedKey: string | undefined): Promise<boolean> {
  const { header, end, faults, recordCount } = await verifyFile(linesOf(file))
  if (header !== undefined)
    say(`Statement ${header.period} of ${header.client}, ${header.periodStart} to ${header.periodEnd}`)
  if (end !== undefined) {
    say(`${recordCount} records; bill ${end.bill} USDT, payouts ${end.payouts}, held back ${end.held}`)
    const decisions = decisionsIn(end)
    if (decisions !== '') say(decisions)
    say(`Signed ${end.sealedAt} by ${fingerprintOf(end.publicKey)}`)
  }
  const isTrusted = trustedKey === undefined || trustedKey === end?.publicKey
  if (!isTrusted) say('  The key in the file is not the one you trust.')
  if (trustedKey === undefined && faults.length === 0)
    say('Compare this fingerprint with the one your Tollgate shows, or give its key with --key.')
  const isGood = report(faults) && isTrusted
  say(isGood ? 'YES: chain, sums and signature fit.' : 'NO: this file is not what was signed.')
  return isGood
}

async function checkDatabase(file: string, address: Parameters<typeof openDatabase>[0]['address']) {
  const database = openDatabase({ address, maxConnections: 2 })
  try {
    const isGood = report(await verifyAgainst(database.db, linesOf(file)))
    say(isGood ? 'YES: the database says the same.' : 'NO: the database says something else.')
    return isGood
  } finally {
    await database.close()
  }
}

async function run(file: string | undefined, key: string | undefined, dataDir: string | undefined) {
  if (file === undefined) throw new UsageError()
  if (!existsSync(file)) throw new StartFailure(`There is no file ${file}.`)
  const isGood = await checkFile(file, key)
  const address =
    process.env['DATABASE_URL'] ?? (dataDir === undefined ? undefined : await findRunning(dataDir))
  if (dataDir !== undefined && address === undefined)
    throw new StartFailure(`No Tollgate runs on ${dataDir}, so its database cannot be read. Start it first.`)
  return address === undefined || (await checkDatabase(file, address)) ? (isGood ? 0 : 1) : 1
}

await runCommand({
  usage,
  options: { key: { type: 'string' }, 'data-dir': { type: 'string' } },
  run: ({ values, positionals: [file] }) => run(file, values.key, values['data-dir']),
  failedStatus: 2,
})
