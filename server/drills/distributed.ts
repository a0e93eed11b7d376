// The tables of records are spread over two workers by Citus (decision 57). Messages, lists, sums, a close and a statement
// must be as right as on one server, and a subscriber's number must go from all of them.
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyAgainst, verifyFile } from '../src/statements/index.ts'
import { migrate } from '../src/storage/migrate.ts'
import { openDatabase } from '../src/platform/db.ts'
import { startGateway } from '../test/environment/children.ts'
import { benchPassword, signInAsAdmin, type Call } from '../test/http/operator.ts'
import { changePrices, cycleSeconds, fillBusiness } from './business.ts'
import { findCitusPrograms, startCitusCluster, type CitusCluster } from './citus-cluster.ts'
import { until } from './conditions.ts'
import { defineDrill } from './define.ts'
import { drillFolder } from './embedded-testbed.ts'
import { judge } from './judge.ts'
import type { Random } from './random.ts'
import { startLoad } from './start-load.ts'

const shards = 4
const drainMs = 15_000
const listsCompared = 10

export const distributed = defineDrill({
  name: 'distributed',
  summary:
    'records spread over two workers by Citus; --programs names the folder of a PostgreSQL that has Citus',
  options: { seconds: 20, perSecond: 500, programs: '' },
  short: { seconds: 4 },
  async run({ options, random, note, onEnd }) {
    const programs = await findCitusPrograms(options.programs)
    if (programs === undefined)
      return {
        isPassed: true,
        figures: [
          'SKIPPED: no PostgreSQL with Citus (lib/citus.so) was found; --programs or CITUS_PROGRAMS names the folder of its programs',
        ],
      }
    const cluster = await startCitusCluster({ onEnd }, programs, 2)
    const digits = await makeDatabase(cluster)
    const gateway = await startGateway(cluster.url, await drillFolder({ onEnd }), benchPassword, {
      BILLING_CYCLE_SECONDS: String(cycleSeconds),
    })
    onEnd(() => gateway.stop('SIGTERM'))
    const { suppliers, periodic } = await startLoad(
      { onEnd, random },
      // The statements of the check join records with other tables, so they run at the end, on a copy.
      { url: gateway.url, ports: [gateway.port], digits, address: async () => undefined },
      { perSecond: options.perSecond },
    )
    await until(
      'the first acknowledgements',
      () => suppliers.acknowledged > 0,
      () => gateway.describe(),
    )
    await sleep(options.seconds * 500)
    await changePrices(gateway.url, random)
    await sleep(options.seconds * 500)
    suppliers.pause()
    await suppliers.drain(drainMs)
    await until('a closed cycle with statements', async () => (await signedCycle(cluster)) !== undefined)
    await copyRecords(cluster)

    const call = await signInAsAdmin(gateway.url)
    const faults = [
      ...(await compareLists(cluster, call, random)),
      ...(await checkStatement(cluster, call)),
      // Last, as the copy keeps its sender.
      ...(await eraseOne(cluster)),
    ]
    for (const fault of faults) note(fault)
    const shardWords = await describeShards(cluster)
    const isReady = await workersOf(gateway.url)
    await cluster.loseWorker()
    await until('a node that is not ready without a worker', async () => !(await workersOf(gateway.url)))
    const judged = await judge(
      { note },
      `${cluster.url}?options=-csearch_path%3Dcopied,public`,
      suppliers,
      periodic,
    )
    return {
      isPassed: judged.isPassed && faults.length === 0 && isReady,
      figures: [
        ...judged.figures,
        `${listsCompared} lists and their sums compared and a statement verified, ${faults.length} faults`,
        shardWords,
        isReady ? 'ready with its workers, and not without one' : 'not ready although its workers answer',
        `longest answer ${(suppliers.longestAnswerMs / 1_000).toFixed(2)} s`,
      ],
    }
  },
})

async function makeDatabase({ url, ask }: CitusCluster): Promise<string[]> {
  const database = openDatabase({ address: url })
  try {
    await migrate(database.pool)
    const digits = await fillBusiness(database)
    await ask(`select distribute_records(${shards})`)
    return digits
  } finally {
    await database.close()
  }
}

/** Whether the gateway says that the workers answer. */
async function workersOf(url: string): Promise<boolean> {
  const { checks } = (await (await fetch(`${url}/readyz`)).json()) as { checks: Record<string, string> }
  return checks['workers'] === 'ok'
}

/** The newest cycle whose bills have their statements. */
async function signedCycle({ ask }: CitusCluster): Promise<number | undefined> {
  const [found] = await ask<{ id: number }>(
    `select b.cycle_id as id from cycle_bills b where b.signed_at is not null
       and exists (select from billing_periods p where p.cycle_id = b.cycle_id) order by id desc limit 1`,
  )
  return found?.id
}

/** Copies the records to plain tables, for statements of the check that Citus cannot plan. */
async function copyRecords({ ask }: CitusCluster): Promise<void> {
  await ask(`create schema copied; create table copied.records as table records;
    create table copied.record_batches as table record_batches; analyze copied.records, copied.record_batches`)
}

interface ListedRecord {
  readonly sender: string
}

/** Lists and sums of some clients and of single messages, as the API gives them and as the copy says. */
async function compareLists({ ask }: CitusCluster, call: Call, random: Random): Promise<string[]> {
  const faults: string[] = []
  const compare = async (filter: string, condition: string) => {
    const listed = (await call('GET', `/api/records?limit=100&${filter}`)) as ListedRecord[]
    const stored = await ask<ListedRecord>(
      `select sender from copied.records r where ${condition} order by created_at desc, id desc limit 100`,
    )
    if (
      JSON.stringify(listed.map(({ sender }) => sender)) !==
      JSON.stringify(stored.map(({ sender }) => sender))
    )
      faults.push(`the list of ${filter} has ${listed.length} records, the tables ${stored.length}`)
    const sum = (await call('GET', `/api/records/summary?${filter}`)) as { count: number; amountUsd: string }
    const [sums] = await ask<{ count: number; micro: string }>(
      `select count(*)::int as count, coalesce(sum(amount_micro), 0)::text as micro from copied.records r where ${condition}`,
    )
    if (sum.count !== sums?.count || Math.round(Number(sum.amountUsd) * 1e6) !== Number(sums.micro))
      faults.push(`the sum of ${filter} is ${JSON.stringify(sum)}, the tables say ${JSON.stringify(sums)}`)
  }
  const senders = await ask<ListedRecord>('select sender from copied.records order by id')
  for (let count = 0; count < listsCompared; count += 1) {
    const client = random.between(1, 200)
    if (count % 2 === 0) await compare(`client=client${client}`, `client_id = ${client}`)
    else {
      const { sender } = random.pick(senders)
      const part = sender.slice(-7)
      await compare(`search=${part}`, `position('${part}' in sender) > 0`)
    }
  }
  return faults
}

/** The statement of one bill: signed, and the same when the tables are read again. */
async function checkStatement(cluster: CitusCluster, call: Call): Promise<string[]> {
  const cycleId = await signedCycle(cluster)
  const [bill] = await cluster.ask<{ user_id: number; count: number }>(
    `select user_id, (select count(*)::int from copied.records r where r.cycle_id = b.cycle_id
         and r.client_id = b.user_id and r.settlement in (1, 2)) as count
     from billing_periods b where cycle_id = ${cycleId} order by sms_count desc, user_id limit 1`,
  )
  const text = (await call('GET', `/api/billing/periods/${cycleId}-${bill?.user_id}/statement`)) as string
  const { faults, recordCount } = await verifyFile(linesOf(text))
  const database = openDatabase({ address: cluster.url })
  try {
    const differences = [...faults, ...(await verifyAgainst(database.db, linesOf(text)))]
    return [
      ...differences.map(({ line, what }) => `line ${line} of the statement: ${what}`),
      ...(recordCount === bill?.count
        ? []
        : [`the statement has ${recordCount} records, the tables ${bill?.count}`]),
    ]
  } finally {
    await database.close()
  }
}

/** A subscriber is erased, as two admins agreed, from the records on all workers. */
async function eraseOne({ ask }: CitusCluster): Promise<string[]> {
  const [found] = await ask<{ sender: string; count: number }>(
    `select sender, count(*)::int as count from copied.records where sender ~ '^\\d{7,15}$'
       group by 1 order by 2 desc, 1 limit 1`,
  )
  if (found === undefined) return ['no sender is a subscriber']
  const [made] = await ask<{ id: number }>(
    `insert into erasures (number, masked, reason, requested_by, requested_at, approved_by, approved_at)
       select '${found.sender}', '•', 'Drill', min(id), now(), max(id), now() from users returning id`,
  )
  await until('an erasure', async () => {
    const [erasure] = await ask<{ is_done: boolean }>(
      `select done_at is not null as is_done from erasures where id = ${made?.id}`,
    )
    return erasure?.is_done === true
  })
  const [sums] = await ask<{ left: number; erased: number }>(
    `select count(*) filter (where sender = '${found.sender}')::int as left,
       count(*) filter (where sender like 'erased-subscriber-%')::int as erased from records`,
  )
  return sums?.left === 0 && sums.erased === found.count
    ? []
    : [`of ${found.count} records of a sender ${sums?.erased} are erased and ${sums?.left} are left`]
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.split(/\r?\n/)
}

/** How many records each worker has. */
async function describeShards({ ask }: CitusCluster): Promise<string> {
  const found = await ask<{ count: string }>(
    `select sum(result::bigint)::text as count from run_command_on_shards('records', 'select count(*) from %s') r
       join pg_dist_placement p using (shardid) group by p.groupid order by p.groupid`,
  )
  return `${found.map(({ count }) => Number(count).toLocaleString('en')).join(' and ')} records on the workers`
}
