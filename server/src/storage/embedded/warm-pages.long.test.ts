import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase, rows } from '../../platform/db.ts'
import { startEmbedded } from './start.ts'
import { warmSettings } from './warm-pages.ts'

test('a server that starts again has the pages in memory that it had', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tg-warm-'))
  const onServer = async <T>(work: (ask: (text: string) => Promise<T[]>) => Promise<void>): Promise<void> => {
    const server = await startEmbedded({ dataDir })
    const database = openDatabase({ address: { host: server.host, database: 'postgres' } })
    try {
      await work((text) => rows<T>(database.db, sql.raw(text)))
    } finally {
      await database.close()
      await server.stop()
    }
  }
  try {
    await onServer(async (ask) => {
      await ask('create extension pg_buffercache')
      await ask('create table things as select generate_series(1, 100000) as id')
      await ask('create extension pg_prewarm')
      // The process that notes the pages at the stop starts some time after the server takes connections: this starts
      // it, or says that it runs.
      await ask('select autoprewarm_start_worker()').catch((fault: Error) =>
        expect(fault.message).toContain('already running'),
      )
    })
    await onServer<{ count: number }>(async (ask) => {
      const held = () =>
        ask(`select count(*)::int as count from pg_buffercache
             where relfilenode = pg_relation_filenode('things')`)
      await expect.poll(held).not.toEqual([{ count: 0 }])
      expect((await held())[0]?.count).toBeGreaterThan(400)
    })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('programs without the library start without it', async () => {
  expect(await warmSettings('/nowhere/bin')).toEqual({})
})
