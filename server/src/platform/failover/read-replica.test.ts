// The age of a read replica, and what is none. That a real one answers is shown by server/src/read-replica.program.test.ts.
import { expect, test } from 'vitest'
import { problemOf } from './read-replica.ts'
import { ReplicaAge } from './replica-age.ts'

test('a replica is as old as the newest sample of the log that it has replayed', () => {
  const age = new ReplicaAge()
  expect(age.ms(5_000)).toBe(Infinity)
  age.note({ atMs: 1_000, lsn: 100 }, 100)
  expect(age.ms(1_400)).toBe(400)
  age.note({ atMs: 2_000, lsn: 200 }, 150)
  age.note({ atMs: 3_000, lsn: 300 }, 150)
  expect(age.ms(3_000)).toBe(2_000)
  age.note({ atMs: 4_000, lsn: 400 }, 310)
  expect(age.ms(4_000)).toBe(1_000)
  age.note({ atMs: 5_000, lsn: 500 }, 600)
  expect(age.ms(5_000)).toBe(0)
})

test('an idle primary ages nobody, also beside a replica whose replay is paused', () => {
  const age = new ReplicaAge()
  for (let second = 0; second < 100; second++) age.note({ atMs: second * 1_000, lsn: 700 }, 700)
  expect(age.ms(99_500)).toBe(500)
})

test('a lost replica has no age until it has replayed a sample of afterwards', () => {
  const age = new ReplicaAge()
  age.note({ atMs: 1_000, lsn: 100 }, 100)
  age.note({ atMs: 2_000, lsn: 200 }, 100)
  age.forget()
  expect(age.ms(2_000)).toBe(Infinity)
  age.note({ atMs: 3_000, lsn: 300 }, 250)
  expect(age.ms(3_000)).toBe(Infinity)
  age.note({ atMs: 4_000, lsn: 400 }, 300)
  expect(age.ms(4_000)).toBe(1_000)
})

test('the samples of a replica that stands still stay bounded', () => {
  const age = new ReplicaAge()
  age.note({ atMs: 0, lsn: 1 }, 1)
  for (let second = 1; second < 10_000; second++) age.note({ atMs: second * 1_000, lsn: second + 1 }, 1)
  expect(age.ms(9_999_000)).toBe(9_999_000)
  age.note({ atMs: 10_000_000, lsn: 10_001 }, 9_001)
  expect(age.ms(10_000_000)).toBe(1_000_000)
})

const primary = { system: 'a', lsn: 500 }

test.each([
  ['it is of another database cluster', { system: 'b', is_standby: true, lsn: 500 }, 400],
  ['it is no standby', { system: 'a', is_standby: false, lsn: null }, 400],
  // After a fail-over the standby of the lost primary may have more than the new one.
  ['it follows another primary', { system: 'a', is_standby: true, lsn: 700 }, 600],
  [undefined, { system: 'a', is_standby: true, lsn: 500 }, 500],
  // It was asked after the primary, which wrote on meanwhile.
  [undefined, { system: 'a', is_standby: true, lsn: 510 }, 500],
])('%s', (problem, standby, replayed) => {
  expect(problemOf(primary, standby, replayed)).toBe(problem)
})
