// Watches the migration of the next version from beside: whether it waits, what of it is there, how long it took.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { DrillOptions, DrillRun } from './define.ts'
import { stepParts } from './next-version.ts'

const lookEveryMs = 5

/** Whoever runs a statement of the migration. */
const runsSql = `from pg_stat_activity where query like '%${stepParts.table}%' and state <> 'idle' and pid <> pg_backend_pid()`

export interface StepWatch {
  countRecords(): Promise<number>
  /** Somebody reads the records in a transaction that is open until `end`: what changes the table must wait. */
  readRecords(): Promise<{ end(): Promise<void> }>
  isWaiting(): Promise<boolean>
  isOver(): Promise<boolean>
  /** How many of its parts are there, and of how many. */
  parts(): Promise<{ there: number; all: number }>
  /** Milliseconds from the begin of the first migration that is applied from now on to its own commit, once that is seen. */
  time(): Promise<number>
}

export async function watchStep(
  run: Pick<DrillRun<DrillOptions>, 'onEnd'>,
  address: { readonly host: string; readonly database: string },
  step: string,
): Promise<StepWatch> {
  const connect = async () => {
    const client = new pg.Client({ ...address, user: 'postgres' })
    client.on('error', () => undefined)
    await client.connect()
    run.onEnd(() => client.end())
    return client
  }
  const client = await connect()
  const count = async (sql: string) => Number((await client.query<{ count: string }>(sql)).rows[0]?.count)
  return {
    countRecords: () => count('select coalesce(sum(record_count), 0) as count from record_batches'),
    async readRecords() {
      const reader = await connect()
      await reader.query('begin')
      await reader.query('select from records limit 1')
      return { end: async () => void (await reader.query('commit')) }
    },
    isWaiting: async () => (await count(`select count(*) ${runsSql} and wait_event_type = 'Lock'`)) > 0,
    isOver: async () => (await count(`select count(*) ${runsSql}`)) === 0,
    async parts() {
      const there = await count(
        `select (select count(*) from pg_class where relname in ('${stepParts.table}', '${stepParts.index}'))
           + (select count(*) from pg_attribute where attname = '${stepParts.column}' and attrelid in ('users'::regclass, 'records'::regclass))
           + (select count(*) from schema_migrations where name = '${step}') as count`,
      )
      return { there, all: 5 }
    },
    async time() {
      const { rows: began } = await client.query<{ at: string }>('select now()::text as at')
      for (;;) {
        const { rows } = await client.query<{ ms: number }>(
          'select round(1000 * extract(epoch from clock_timestamp() - min(applied_at)))::int as ms from schema_migrations where applied_at > $2 having bool_or(name = $1)',
          [step, began[0]?.at],
        )
        if (rows[0] !== undefined) return rows[0].ms
        await sleep(lookEveryMs)
      }
    },
  }
}
