import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../../test/harness.ts'
import { changed, rows } from '../db.ts'
import { LeaseKeeper, type HeldWork, type LeaseKeeperParts, type Wanted } from './lease-keeper.ts'

const { db } = await openTestDatabase()
await sql`create table errands (id int primary key, version int not null default 1)`.execute(db)
const want = (id: number) => sql`insert into errands (id) values (${id})`.execute(db)

/** What each node does and did, as words in order. */
const told: string[] = []
const keepers: { stop(): Promise<void> }[] = []

interface Errand extends HeldWork {
  readonly id: number
  isLost: boolean
}

type Parts = LeaseKeeperParts<Wanted, Errand>

function newNode(name: string, over: Partial<Parts> = {}) {
  const keeper = new LeaseKeeper<Wanted, Errand>({
    db,
    log: silentLog,
    what: 'Errands',
    everyMs: 100,
    leaseTimes: { lifeMs: 10_000, renewEveryMs: 200 },
    leaseName: (id) => `errand:${id}`,
    wanted: () =>
      rows(
        db,
        sql`select e.id, e.version, l.name is not null as "isHeld" from errands e left join leases l
          on l.name = 'errand:' || e.id and l.owner is not null and l.expires_at > clock_timestamp() order by e.id`,
      ),
    async take(row, lease) {
      told.push(`${name} takes ${row.id} v${row.version}`)
      return {
        id: row.id,
        version: row.version,
        isLost: false,
        async stop() {
          await new Promise((done) => setTimeout(done, 50))
          told.push(`${name} ends ${row.id} v${row.version}`)
          await lease.release()
        },
      }
    },
    ...over,
  })
  keepers.push(keeper)
  return keeper
}

const idsOf = (...nodes: LeaseKeeper<Wanted, Errand>[]) =>
  nodes.flatMap(({ held }) => [...held.keys()]).toSorted((a, b) => a - b)

afterEach(async () => {
  await Promise.all(keepers.splice(0).map((keeper) => keeper.stop()))
  await sql`delete from errands`.execute(db)
  told.length = 0
})

test('of two nodes exactly one does each piece, and the other takes over what the first gives back', async () => {
  for (const id of [1, 2, 3, 4]) await want(id)
  const [first, second] = [newNode('first'), newNode('second')]
  await Promise.all([first.start(), second.start()])
  await expect.poll(() => idsOf(first, second)).toEqual([1, 2, 3, 4])
  await first.stop()
  expect(first.held.size).toBe(0)
  await expect.poll(() => idsOf(second)).toEqual([1, 2, 3, 4])
  // Each was taken by one of them at a time: as often as it was ended, and once more.
  expect(told.filter((words) => words.includes(' takes ')).length).toBe(
    told.filter((words) => words.includes(' ends ')).length + 4,
  )
})

test('work that was changed ends before it begins anew, at once when somebody says so', async () => {
  await want(1)
  // The next look by itself is an hour away.
  const node = newNode('node', { everyMs: 3_600_000 })
  await node.start()
  await expect.poll(() => idsOf(node)).toEqual([1])
  await sql`update errands set version = 2`.execute(db)
  node.lookSoon()
  await expect.poll(() => told).toEqual(['node takes 1 v1', 'node ends 1 v1', 'node takes 1 v2'])
})

test('work that is not wanted any more ends, and its lease is free', async () => {
  await want(1)
  const node = newNode('node')
  await node.start()
  await expect.poll(() => idsOf(node)).toEqual([1])
  await sql`delete from errands`.execute(db)
  await expect.poll(() => told).toEqual(['node takes 1 v1', 'node ends 1 v1'])
  await expect
    .poll(() => rows(db, sql`select from leases where name = 'errand:1' and owner is not null`))
    .toEqual([])
})

test('work whose lease another node took is ended without waiting for a look', async () => {
  await want(1)
  const node = newNode('node', { everyMs: 3_600_000 })
  await node.start()
  await expect.poll(() => idsOf(node)).toEqual([1])
  // As another node does when this one slept for longer than a lease lives.
  await sql`update leases set owner = 'other', token = token + 1, expires_at = clock_timestamp() + interval '1 hour'
    where name = 'errand:1'`.execute(db)
  await expect.poll(() => told).toEqual(['node takes 1 v1', 'node ends 1 v1'])
  // It neither comes back here nor loses the other its lease.
  await new Promise((done) => setTimeout(done, 400))
  expect(idsOf(node)).toEqual([])
  expect(await rows(db, sql`select owner from leases where name = 'errand:1'`)).toEqual([{ owner: 'other' }])
  await changed(db, sql`delete from leases where name = 'errand:1'`)
})

test('work that says it is lost is taken up anew', async () => {
  await want(1)
  const node = newNode('node')
  await node.start()
  await expect.poll(() => idsOf(node)).toEqual([1])
  node.held.get(1)!.isLost = true
  await expect.poll(() => told).toEqual(['node takes 1 v1', 'node ends 1 v1', 'node takes 1 v1'])
})

test('one that cannot be taken up does not keep the others from what follows their look', async () => {
  for (const id of [1, 2]) await want(id)
  const seen: number[] = []
  const followed: number[][] = []
  const node = newNode('node', {
    take: async (row) => {
      if (row.id === 1) throw new Error('not this one')
      return { id: row.id, version: row.version, isLost: false, stop: async () => undefined }
    },
    see: ({ id }) => void seen.push(id),
    afterRows: async () => void followed.push(seen.splice(0)),
  })
  await node.start()
  await expect.poll(() => followed.filter((ids) => ids.includes(2)).length).toBeGreaterThan(1)
  expect(followed.every((ids) => ids.length <= 1)).toBe(true)
})

test('one that cannot be taken up keeps none waiting, holds no lease, and is tried again', async () => {
  for (const id of [1, 2]) await want(id)
  let tries = 0
  const errors: string[] = []
  const node = newNode('node', {
    log: {
      ...silentLog,
      error: (_fields: object, words: string) => void errors.push(words),
    } as typeof silentLog,
    async take(row) {
      if (row.id === 1 && (tries += 1) < 3) throw new Error('not now')
      return { id: row.id, version: row.version, isLost: false, stop: async () => undefined }
    },
  })
  await node.start()
  await expect.poll(() => idsOf(node)).toEqual([2])
  expect(await rows(db, sql`select from leases where name = 'errand:1' and owner is not null`)).toEqual([])
  await expect.poll(() => idsOf(node)).toEqual([1, 2])
  expect(errors).toEqual(['Errands cannot be looked after; it is tried again'])
})

test('work goes on while the database does not answer; what is lost meanwhile ends', async () => {
  for (const id of [1, 2]) await want(id)
  let isAway = false
  const looks: boolean[] = []
  const node = newNode('node', {
    wanted: async () => {
      if (isAway) throw new Error('the database is away')
      return rows(db, sql`select id, version, false as "isHeld" from errands order by id`)
    },
    afterLook: () => looks.push(isAway),
  })
  await node.start()
  await expect.poll(() => idsOf(node)).toEqual([1, 2])
  isAway = true
  node.held.get(1)!.isLost = true
  await expect.poll(() => idsOf(node)).toEqual([2])
  expect(looks).toContain(true)
  isAway = false
  await expect.poll(() => idsOf(node)).toEqual([1, 2])
})
