// Eight processes close 500 cycles while one after the other is killed. `npm run bench -- --only races`.
import { spawn, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { program } from './children.ts'
import { sql } from 'kysely'
import { createAudit } from '@tollgate/server/audit/index.ts'
import { refuseOwnAccount } from '@tollgate/server/billing/index.ts'
import { composeMoney } from '@tollgate/server/compose-money.ts'
import { createLedger } from '@tollgate/server/ledger/index.ts'
import { systemClock } from '@tollgate/server/platform/clock.ts'
import { openDatabase, row, type Database } from '@tollgate/server/platform/db.ts'
import { createEgress } from '@tollgate/server/platform/security/egress.ts'
import { createLogger } from '@tollgate/server/platform/log.ts'
import { createSecrets } from '@tollgate/server/platform/security/secrets.ts'
import { createTableReader } from '@tollgate/server/files/tables/table-reader.ts'
import { createSigner } from '@tollgate/server/platform/security/signing.ts'
import { createRates } from '@tollgate/server/rates/index.ts'
import { createTerms } from '@tollgate/server/terms/index.ts'
import { createUsers } from '@tollgate/server/users/index.ts'

const cycleCount = 500
const closerCount = 8
const cycleSeconds = 60
const killEveryMs = 100

/** Eight processes close 500 cycles that are due; one after the other is killed and replaced. */
export async function raceClosers({ db }: Database, url: string): Promise<string> {
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select 'u' || i, 'u@example.org', 'U', 'U', 'x', 'user' from generate_series(1, 20) i`.execute(db)
  await sql`insert into numbers (number) select (447700000000 + i)::text from generate_series(1, 20) i`.execute(
    db,
  )
  const startMs = Math.floor(Date.now() / 60_000 - cycleCount) * 60_000
  await sql`insert into cycles (starts_at, ends_at) values (${new Date(startMs)}, ${new Date(startMs + 60_000)})`.execute(
    db,
  )
  // Takes ids of cycles without gaps, also after a killed close, so that the traffic of all cycles can be written
  // ahead.
  await sql`create function next_cycle_id() returns trigger language plpgsql as $$
    begin new.id := (select coalesce(max(id), 0) + 1 from cycles); return new; end $$`.execute(db)
  await sql`create trigger cycles_gapless before insert on cycles for each row execute function next_cycle_id()`.execute(
    db,
  )
  await sql`insert into record_cycle_counters select c, u, 1, 1 + u, 50000 * (1 + u) + c
    from generate_series(1, ${cycleCount}::int) c, generate_series(1, 20) u`.execute(db)
  let killed = 0
  const closers = Array.from({ length: closerCount }, () => startCloser(url))
  const isDone = async () =>
    (await row(db, sql`select from cycles where closed_at is null and ends_at > now()`)) !== undefined
  while (!(await isDone())) {
    await sleep(killEveryMs)
    // Half of them stay alive: on a busy machine they take seconds to start.
    const atWork = closers.filter(({ isAtWork }) => isAtWork)
    if (atWork.length <= closerCount / 2) continue
    const unlucky = atWork[Math.floor(Math.random() * atWork.length)]
    if (unlucky === undefined) continue
    unlucky.child.kill('SIGKILL')
    closers.splice(closers.indexOf(unlucky), 1)
    closers.push(startCloser(url))
    killed += 1
  }
  for (const { child } of closers) child.kill('SIGKILL')
  const found = await row<{ closed: number; doubled: number; missed: number; unbalanced: number }>(
    db,
    sql`select (select count(*)::int from cycles where closed_at is not null) as closed,
          (select count(*)::int from (select from ledger_entries where account = 'billed'
            group by cycle_id, user_id having count(*) > 1) d) as doubled,
          (select count(*)::int from record_cycles r left join billing_periods b
            on (b.cycle_id, b.user_id) = (r.cycle_id, r.client_id)
            where r.cycle_id <= ${cycleCount} and b.total_micro is distinct from r.amount_micro) as missed,
          (select count(*)::int from (select from ledger_entries group by transaction_id
            having sum(amount_micro) <> 0) u) as unbalanced`,
  )
  return [
    `| ${closerCount} closers, one killed every ${killEveryMs} ms (${killed} in all) | |`,
    '|---|---|',
    `| cycles closed | ${found?.closed ?? 0} |`,
    `| bills doubled, missed or of another amount | ${(found?.doubled ?? 0) + (found?.missed ?? 0)} |`,
    `| ledger transactions that do not sum to zero | ${found?.unbalanced ?? 0} |`,
  ].join('\n')
}

interface Closer {
  readonly child: ChildProcess
  isAtWork: boolean
}

function startCloser(url: string): Closer {
  const child = spawn(process.execPath, [program, 'closer', url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closer = { child, isAtWork: false }
  child.stdout.once('data', () => (closer.isAtWork = true))
  return closer
}

/** Closes due cycles until the process is killed. */
export async function closeForEver(url: string): Promise<never> {
  const { db } = openDatabase({ address: url, maxConnections: 3 })
  const secrets = createSecrets('bench')
  const audit = createAudit({ db, clock: systemClock, secrets, log: createLogger('warn') })
  const smppAddress = () => ({ host: '127.0.0.1', port: 2775 })
  const { settings } = createUsers({ db, clock: systemClock, audit, secrets, smppAddress })
  const billing = composeMoney({
    db,
    clock: systemClock,
    audit,
    ledger: createLedger({ db, clock: systemClock, cycleSeconds }),
    settings,
    terms: createTerms({ db, clock: systemClock, settings, refuseOwnAccount }),
    treasuryAddresses: createRates({ db, audit, settings, refuseOwnAccount }).treasuryAddresses,
    egress: createEgress([]),
    tables: createTableReader(),
    signer: createSigner('bench', 'statements'),
    tron: undefined,
    mail: undefined,
    consoleUrl: undefined,
  })
  console.log('at work')
  for (;;) {
    await billing.closeDueCycles()
    await sleep(50)
  }
}
