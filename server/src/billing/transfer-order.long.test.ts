// docs/money.md shows what becomes of transfers and hashes that come at once, or one after the other. It is made here.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatMicro } from '@tollgate/contract/money.ts'
import { bookedOf, hashOf, openBills } from '../../test/money/bills-on-chain.ts'
import { projectRoot } from '../platform/process/project.ts'

type Environment = Awaited<ReturnType<typeof openBills>>
type Bill = 1 | 2

interface Sequence {
  readonly name: string
  /** What the calls were answered, in any order. */
  readonly run: (environment: Environment) => Promise<number[]>
  readonly bills: readonly Bill[]
  readonly hashes: readonly string[]
}

const due = 500_000n
const statusesOf = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)

const sequences: readonly Sequence[] = [
  {
    name: 'one hash for two bills, entered at the same instant',
    async run({ pay, send, check }) {
      send('a', due)
      const answers = await Promise.all([pay(1, 'a'), pay(2, 'a')])
      await check()
      return statusesOf(answers)
    },
    bills: [1, 2],
    hashes: ['a'],
  },
  {
    name: 'two hashes for one bill, entered at the same instant',
    async run({ pay, send, check }) {
      send('a', due)
      send('b', due)
      const answers = await Promise.all([pay(1, 'a'), pay(1, 'b')])
      await check()
      return statusesOf(answers)
    },
    bills: [1],
    hashes: ['a', 'b'],
  },
  {
    name: 'a part, and the rest under a second hash',
    async run({ pay, send, check }) {
      send('a', 200_000n)
      send('b', 300_000n)
      const first = await pay(1, 'a')
      await check()
      const second = await pay(1, 'b')
      await check()
      return statusesOf([first, second])
    },
    bills: [1],
    hashes: ['a', 'b'],
  },
  {
    name: 'doubled: the wallet sends a paid bill again',
    async run({ pay, send, check }) {
      send('a', due)
      const first = await pay(1, 'a')
      await check()
      send('b', due)
      return [first.status, (await pay(1, 'b')).status]
    },
    bills: [1],
    hashes: ['a', 'b'],
  },
  {
    name: 'late: the second transfer of a paid bill, matched by a person',
    async run({ billing, call, clock, cycle, pay, send, check }) {
      send('a', due)
      const first = await pay(1, 'a')
      await check()
      send('b', due)
      clock.advance(10_000)
      await billing.readTreasury()
      const [open] = (await call(6, 'GET', '/api/treasury/transfers?state=open')).body
      const body = { references: [`${cycle.id}-1`], reason: 'sent again by mistake' }
      const matched = await call(6, 'PUT', `/api/treasury/transfers/${open.id}/match`, { body })
      return [first.status, matched.status]
    },
    bills: [1],
    hashes: ['a', 'b'],
  },
  {
    name: 'the hash of a paid bill for another bill',
    async run({ pay, send, check }) {
      send('a', due)
      const first = await pay(1, 'a')
      await check()
      return [first.status, (await pay(2, 'a')).status]
    },
    bills: [1, 2],
    hashes: ['a'],
  },
]

test('transfers at once and one after the other end as docs/money.md says', async () => {
  const lines = await Promise.all(
    sequences.map(async ({ name, run, bills, hashes }) => {
      const environment = await openBills()
      const answers = await run(environment)
      const states = await Promise.all(bills.map(async (id) => (await environment.bill(id)).status as string))
      const booked = await Promise.all(hashes.map((digit) => bookedOf(environment.db, hashOf(digit))))
      const amounts = booked.map(([transfer]) => formatMicro(BigInt(transfer?.booked ?? 0), 2))
      return [name, answers.join(', '), states.toSorted().join(', '), amounts.toSorted().join(', ')]
    }),
  )
  const head = ['what happens', 'answers', 'the bills', 'booked of each transfer']
  const made = [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  expect(await readFile(join(projectRoot, 'docs/money.md'), 'utf8')).toContain(made)
})
