// Nobody can try numbers and read what is found: a hold, and what becomes of it, changes no answer to its client before the
// next morning. A walk over every GET route of the API.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { ownReadings, pathOf } from '../test/http/own-readings.ts'
import { openTwoAccounts } from '../test/http/two-accounts.ts'
import { newCase } from './integrity/testing/new-case.ts'
import { openDatabase, row } from './platform/db.ts'

const environment = await openTwoAccounts()
const { db, people, slices } = environment
const { gets, readings } = await ownReadings(environment)
const client = people.alpha.id

/** Filters and reports by money, which the walk over own sides does not need. */
async function moreReadings(messageId = ''): Promise<Record<string, string[]>> {
  const found = await row<{ id: number }>(db, sql`select id from cycles where closed_at is null`)
  const period = `${found?.id}-${client}`
  return {
    getPeriod: [`/api/billing/periods/${period}`],
    listPeriodLines: [`/api/billing/periods/${period}/lines`],
    getRecord: [`/api/records/${messageId}`],
    search: [`/api/search?q=${period}`],
    listRecords: ['none', 'held', 'refused'].map((hold) => `/api/records?period=${period}&hold=${hold}`),
    reportRecords: ['none', 'held'].map(
      (hold) => `/api/records/report?groupBy=day&period=${period}&hold=${hold}`,
    ),
  }
}

// Whether links live is said with the time, and a stream page by page is enough.
const withoutMoney = new Set(['streamEvents', 'getSmppStatus', 'getOwnBinds'])

/** The answer without what changes by itself: where the log ends, and when a delivery would be signed. */
const settled = (text: string) =>
  text.replace(/"cursor":"\d+"/, '').replace(/"webhook-timestamp","value":"\d+"/, '')

/** All that the client can read, by path. */
async function readAll(messageId?: string): Promise<Map<string, string>> {
  const more = await moreReadings(messageId)
  const answers = new Map<string, string>()
  for (const [name, route] of gets) {
    if (withoutMoney.has(name) || !(route.access === 'public' || isPermitted('user', route.access))) continue
    const paths = [
      ...(readings[name] ?? [{}]).map((reading) => pathOf(route, reading)),
      ...(more[name] ?? []),
    ]
    for (const path of paths) {
      const { content, type } = await environment.get('alpha', 'user', path)
      answers.set(`${name} ${path}`, type.includes('pdf') ? '' : settled(content.toString()))
    }
  }
  return answers
}

/** The routes whose answers differ, without what changes by itself. */
function changed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after].flatMap(([path, text]) => (text === before.get(path) ? [] : [path]))
}

const names = (paths: readonly string[]) =>
  [...new Set(paths.map((path) => path.split(' ')[0] ?? ''))].toSorted()

test('a hold and its refusal change no answer to the client before the next morning', async () => {
  await sql`update settings set value = '900000000' where key = 'second_person_above'`.execute(db)
  const [messageId] = await environment.sendMore(6)
  const before = await readAll(messageId)
  expect(changed(before, await readAll(messageId))).toEqual([])
  const clock = { now: () => new Date() }
  const { id } = await newCase({ db, clock }, { client, senders: 99 })
  await slices.integrity.holdMessages()
  expect(await row(db, sql`select held_count::int as count from integrity_cases where id = ${id}`)).toEqual({
    count: 12,
  })
  expect(changed(before, await readAll(messageId))).toEqual([])
  await sql`update integrity_cases set state = 'confirmed', decided_by = 3, decided_at = now() where id = ${id}`.execute(
    db,
  )
  await sql`update holds set status = 'confirmed', decided_by = 3, decided_at = now(), is_moving = true,
    decided_cycle_id = (select id from cycles where closed_at is null) where case_id = ${id}`.execute(db)
  await slices.integrity.holdMessages()
  expect(changed(before, await readAll(messageId))).toEqual([])
  // The next morning they do, where money or a state is told.
  const { host, database } = environment.address
  const owner = openDatabase({ address: { host, database } })
  await sql`begin; set local session_replication_role = replica; update hold_sums set told_from = '-infinity';
    update hold_records set told_from = '-infinity'; update decided_sums set told_from = '-infinity'; commit`.execute(
    owner.db,
  )
  await owner.close()
  expect(names(changed(before, await readAll(messageId)))).toEqual([
    'getOwnAccount',
    'getPeriod',
    'getRecord',
    'getWeek',
    'listPeriodLines',
    'listPeriods',
    'listRecords',
    'reportRecords',
    'search',
  ])
})
