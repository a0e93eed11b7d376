import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../../test/environment/database.ts'
import { changed, rows } from '../db.ts'
import {
  LeaseReconciler,
  type RunningWork,
  type LeaseReconcilerParts,
  type DesiredWork,
} from './lease-reconciler.ts'

const { db } = await openTestDatabase()
await sql`create table errands (id int primary key, version int not null default 1)`.execute(db)
const want = (id: number) => sql`insert into errands (id) values (${id})`.execute(db)

/** What the nodes did, in order. */
const events: string[] = []
const reconcilers: { stop(): Promise<void> }[] = []

interface Errand extends RunningWork {
  readonly id: number
  isLost: boolean
}

type Parts = LeaseReconcilerParts<DesiredWork, Errand>

function newNode(name: string, over: Partial<Parts> = {}) {
  const reconciler = new LeaseReconciler<DesiredWork, Errand>({
    db,
    log: silentLog,
    what: 'Errands',
    everyMs: 100,
    leaseTimes: { lifeMs: 10_000, renewEveryMs: 200 },
    leaseName: (id) => `errand:${id}`,
    desired: () =>
      rows(
        db,
        sql`select e.id, e.version, l.name is not null as "isHeld" from errands e left join leases l
          on l.name = 'errand:' || e.id and l.owner is not null and l.expires_at > clock_timestamp() order by e.id`,
      ),
    async start(row, lease) {
      events.push(`${name} starts ${row.id} v${row.version}`)
      return {
        id: row.id,
        version: row.version,
        isLost: false,
        async stop() {
          await new Promise((done) => setTimeout(done, 50))
          events.push(`${name} stops ${row.id} v${row.version}`)
          await lease.release()
        },
      }
    },
    ...over,
  })
  reconcilers.push(reconciler)
  return reconciler
}

const idsOf = (...nodes: LeaseReconciler<DesiredWork, Errand>[]) =>
  nodes.flatMap(({ running }) => [...running.keys()]).toSorted((a, b) => a - b)

afterEach(async () => {
  await Promise.all(reconcilers.splice(0).map((reconciler) => reconciler.stop()))
  await sql`delete from errands`.execute(db)
  events.length = 0
})

test('each piece runs on exactly one of two nodes, and the other takes over when the first stops', async () => {
  for (const id of [1, 2, 3, 4]) await want(id)
  const [first, second] = [newNode('first'), newNode('second')]
  await Promise.all([first.start(), second.start()])
  await expect.poll(() => idsOf(first, second)).toEqual([1, 2, 3, 4])
  await first.stop()
  expect(first.running.size).toBe(0)
  await expect.poll(() => idsOf(second)).toEqual([1, 2, 3, 4])
  // One at a time: each piece was started once more than it was stopped.
  expect(events.filter((words) => words.includes(' starts ')).length).toBe(
    events.filter((words) => words.includes(' stops ')).length + 4,
  )
})

test('work whose row was changed stops before it starts again, at once after runSoon', async () => {
  await want(1)
  // The next round by itself is an hour away.
  const node = newNode('node', { everyMs: 3_600_000 })
  await node.start()
  await expect.poll(() => idsOf(node)).toEqual([1])
  await sql`update errands set version = 2`.execute(db)
  node.runSoon()
  await expect.poll(() => events).toEqual(['node starts 1 v1', 'node stops 1 v1', 'node starts 1 v2'])
})

test('work whose row was removed stops, and its lease is free', async () => {
  await want(1)
  const node = newNode('node')
  await node.start()
  await expect.poll(() => idsOf(node)).toEqual([1])
  await sql`delete from errands`.execute(db)
  await expect.poll(() => events).toEqual(['node starts 1 v1', 'node stops 1 v1'])
  await expect
    .poll(() => rows(db, sql`select from leases where name = 'errand:1' and owner is not null`))
    .toEqual([])
})

test('work whose lease another node took stops without waiting for a round', async () => {
  await want(1)
  const node = newNode('node', { everyMs: 3_600_000 })
  await node.start()
  await expect.poll(() => idsOf(node)).toEqual([1])
  // As another node does when this one slept for longer than a lease lives.
  await sql`update leases set owner = 'other', token = token + 1, expires_at = clock_timestamp() + interval '1 hour'
    where name = 'errand:1'`.execute(db)
  await expect.poll(() => events).toEqual(['node starts 1 v1', 'node stops 1 v1'])
  // The work does not start here again, and the other node keeps its lease.
  await new Promise((done) => setTimeout(done, 400))
  expect(idsOf(node)).toEqual([])
  expect(await rows(db, sql`select owner from leases where name = 'errand:1'`)).toEqual([{ owner: 'other' }])
  await changed(db, sql`delete from leases where name = 'errand:1'`)
})

test('lost work is started again', async () => {
  await want(1)
  const node = newNode('node')
  await node.start()
  await expect.poll(() => idsOf(node)).toEqual([1])
  node.running.get(1)!.isLost = true
  await expect.poll(() => events).toEqual(['node starts 1 v1', 'node stops 1 v1', 'node starts 1 v1'])
})

test('a row that cannot be started does not stop the update of the others', async () => {
  for (const id of [1, 2]) await want(id)
  const seen: number[] = []
  const followed: number[][] = []
  const node = newNode('node', {
    start: async (row) => {
      if (row.id === 1) throw new Error('not this one')
      return { id: row.id, version: row.version, isLost: false, stop: async () => undefined }
    },
    update: ({ id }) => void seen.push(id),
    afterRows: async () => void followed.push(seen.splice(0)),
  })
  await node.start()
  await expect.poll(() => followed.filter((ids) => ids.includes(2)).length).toBeGreaterThan(1)
  expect(followed.every((ids) => ids.length <= 1)).toBe(true)
})

test('a row that cannot be started keeps none waiting, holds no lease, and is tried again', async () => {
  for (const id of [1, 2]) await want(id)
  let tries = 0
  const errors: string[] = []
  const node = newNode('node', {
    log: {
      ...silentLog,
      error: (_fields: object, words: string) => void errors.push(words),
    } as typeof silentLog,
    async start(row) {
      if (row.id === 1 && (tries += 1) < 3) throw new Error('not now')
      return { id: row.id, version: row.version, isLost: false, stop: async () => undefined }
    },
  })
  await node.start()
  await expect.poll(() => idsOf(node)).toEqual([2])
  expect(await rows(db, sql`select from leases where name = 'errand:1' and owner is not null`)).toEqual([])
  await expect.poll(() => idsOf(node)).toEqual([1, 2])
  expect(errors).toEqual(['Errands cannot be checked; it is tried again'])
})

test('work continues while the database does not answer; work that is lost meanwhile stops', async () => {
  for (const id of [1, 2]) await want(id)
  let isAway = false
  const rounds: boolean[] = []
  const node = newNode('node', {
    desired: async () => {
      if (isAway) throw new Error('the database is away')
      return rows(db, sql`select id, version, false as "isHeld" from errands order by id`)
    },
    afterRound: () => rounds.push(isAway),
  })
  await node.start()
  await expect.poll(() => idsOf(node)).toEqual([1, 2])
  isAway = true
  node.running.get(1)!.isLost = true
  await expect.poll(() => idsOf(node)).toEqual([2])
  expect(rounds).toContain(true)
  isAway = false
  await expect.poll(() => idsOf(node)).toEqual([1, 2])
})
