// Every door through which money, or what is owed, can be moved, tried by everybody: who is let in, who is not, what one
// person may do alone, and what takes two. The table stands in docs/money.md.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addressOf, openTestBilling } from '../../../test/money.ts'
import type { TestAnswer } from '../../../test/api.ts'
import { row } from '../../platform/db.ts'

type Scene = Awaited<ReturnType<typeof openScene>>

const reason = 'checked with the client'
let hashes = 0
const newHash = () => (hashes += 1).toString(16).padStart(64, 'd')

// u4 and u5 are support, u6 and u7 admins, u8 has the role test. Each of them earns like a client.
const people = { client: 1, support: 4, admin: 6, tester: 8 } as const
const [secondSupport, secondAdmin] = [5, 7]
const stranger = 2

async function openScene() {
  const scene = await openTestBilling()
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    values ('u7', 'u@example.org', 'U', 'U', 'x', 'admin'), ('u8', 'u@example.org', 'U', 'U', 'x', 'test')`.execute(
    scene.db,
  )
  const tester = scene.api.signIn({ userId: 8, username: 'u8', role: 'test' })
  await sql`insert into payment_profiles (user_id, usdt_address)
    select id, address from unnest(${[1, 2, 3, 4, 5, 6, 7, 8]}::int[],
      ${[1, 2, 3, 4, 5, 6, 7, 8].map(addressOf)}::text[]) p (id, address)`.execute(scene.db)
  return {
    ...scene,
    call: (userId: number, method: 'GET' | 'PUT' | 'POST', path: string, given = {}) =>
      scene.call(userId, method, path, userId === people.tester ? { cookie: tester, ...given } : given),
  }
}

/** What one try left behind: done, waiting for a second person, or nothing. */
type Outcome = 'done' | 'waits' | 'refused'

interface Door {
  readonly name: string
  /** Who may be let in at all. */
  readonly opensFor: readonly (keyof typeof people)[]
  readonly seconds: { readonly support: number; readonly admin: number }
  /** Sets up something of this account worth that many USDT. */
  readonly setUp: (scene: Scene, account: number, amount: number) => Promise<string>
  /** Tries it. For who comes second it is the same call, unless `agree` says otherwise. */
  readonly knock: (scene: Scene, userId: number, id: string, amount: number) => Promise<TestAnswer>
  readonly agree?: (scene: Scene, userId: number, id: string, first: TestAnswer) => Promise<TestAnswer>
  readonly outcomeOf: (answer: TestAnswer) => Outcome
}

const staff = ['support', 'admin'] as const
const bothStaff = { support: secondSupport, admin: secondAdmin }

/** A bill in a closed cycle. The cycle's other accounts stay as they are. */
async function aBillOf({ aClosedCycle }: Scene, client: number, amount: number): Promise<string> {
  const { id } = await aClosedCycle({ client, count: 1, amountMicro: amount * 1_000_000 })
  return `${id}-${client}`
}

async function aPayoutOf({ aClosedCycle, db }: Scene, client: number, amount: number): Promise<string> {
  await aClosedCycle({ client, number: 3, count: 1, amountMicro: amount * 1_000_000 })
  return (await row<{ id: string }>(db, sql`select max(id) as id from payouts`))?.id ?? ''
}

const refusedOr = (answer: TestAnswer, outcome: () => Outcome): Outcome =>
  answer.status >= 400 ? 'refused' : outcome()

// Both persons name the same transfer.
const hashOf = new Map<string, string>()
function transferFor(id: string): string {
  let hash = hashOf.get(id)
  if (hash === undefined) hashOf.set(id, (hash = newHash()))
  return hash
}

const amendmentOutcome = (answer: TestAnswer): Outcome =>
  refusedOr(answer, () => (answer.body.status === 'done' ? 'done' : 'waits'))
const agreeOnAmendment: Door['agree'] = ({ call }, userId, _, first) =>
  call(userId, 'PUT', `/api/billing/amendments/${first.body.id}/decide`, {
    body: { action: 'accept', reason },
  })

const doors: readonly Door[] = [
  {
    name: 'Mark as Paid',
    opensFor: staff,
    seconds: bothStaff,
    setUp: aBillOf,
    knock: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/billing/periods/${id}/pay`, { body: { transactionHash: transferFor(id) } }),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.status === 'paid' ? 'done' : 'waits')),
  },
  {
    name: 'process a payout',
    opensFor: staff,
    seconds: bothStaff,
    setUp: aPayoutOf,
    knock: ({ call }, userId, id) => call(userId, 'PUT', `/api/payouts/${id}/process`, { body: {} }),
    outcomeOf: (answer) =>
      refusedOr(answer, () => (answer.body.payoutStatus === 'completed' ? 'done' : 'waits')),
  },
  {
    name: 'Add Payment',
    opensFor: staff,
    seconds: bothStaff,
    setUp: async (_, account) => String(account),
    knock: ({ call }, userId, account, amount) =>
      call(userId, 'POST', '/api/payments', {
        body: { userId: Number(account), amount: String(amount), status: 'confirmed', notes: reason },
      }),
    agree: ({ call }, userId, _, first) =>
      call(userId, 'PUT', `/api/payments/${first.body.id}/decide`, { body: { action: 'accept', reason } }),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.status === 'confirmed' ? 'done' : 'waits')),
  },
  {
    name: 'add an adjustment',
    opensFor: ['admin'],
    seconds: { support: secondAdmin, admin: secondAdmin },
    setUp: async (scene, account) => {
      await scene.ledger.ensureOpenCycle()
      return String(account)
    },
    knock: ({ call }, userId, account, amount) =>
      call(userId, 'POST', '/api/billing/adjustments', {
        body: { userId: Number(account), amount: String(amount), reason },
      }),
    agree: ({ call }, userId, _, first) =>
      call(userId, 'PUT', `/api/billing/adjustments/${first.body.id}/decide`, {
        body: { action: 'accept', reason },
      }),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.status === 'posted' ? 'done' : 'waits')),
  },
  ...(['release', 'confirm'] as const).map((action): Door => ({
    name: `${action} a hold`,
    opensFor: staff,
    seconds: bothStaff,
    setUp: async (scene, client, amount) =>
      (await scene.held({ client, number: 1, amountMicro: amount * 1_000_000 })).id,
    knock: ({ call }, userId, id) => call(userId, 'PUT', `/api/holds/${id}/${action}`, { body: { reason } }),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.status === 'open' ? 'waits' : 'done')),
  })),
  {
    name: 'void a bill',
    opensFor: ['admin'],
    seconds: { support: secondSupport, admin: secondAdmin },
    setUp: aBillOf,
    knock: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/billing/periods/${id}/void`, { body: { reason } }),
    agree: agreeOnAmendment,
    outcomeOf: amendmentOutcome,
  },
  {
    name: 'make a credit note',
    opensFor: ['admin'],
    seconds: { support: secondSupport, admin: secondAdmin },
    setUp: aBillOf,
    knock: ({ call }, userId, id, amount) =>
      call(userId, 'POST', `/api/billing/periods/${id}/credit-notes`, {
        body: { reason, amount: String(amount) },
      }),
    agree: agreeOnAmendment,
    outcomeOf: amendmentOutcome,
  },
]

// The limit is 100 USDT.
const [below, above] = [60, 120]

test.each(doors)(
  '$name: every role, own and other accounts, one person and two, one act and a day',
  async (door) => {
    const scene = await openScene()
    const { knock, setUp, outcomeOf } = door
    // Where it is the same call, the second person makes it again.
    const agree = door.agree ?? ((given, userId, id) => knock(given, userId, id, above))
    const open: string[] = []
    const expects = (what: string, expected: Outcome, answer: TestAnswer) => {
      const outcome = outcomeOf(answer)
      if (outcome !== expected)
        open.push(`${what}: ${outcome} (${answer.status} ${answer.body?.message ?? ''})`)
      return answer
    }
    for (const [role, userId] of Object.entries(people) as [keyof typeof people, number][]) {
      const isLetIn = door.opensFor.includes(role)
      // All of it first: closing a cycle takes a week.
      const own = [await setUp(scene, userId, below), await setUp(scene, userId, above)]
      const [small, more] = [await setUp(scene, stranger, below), await setUp(scene, stranger, below)]
      const large = await setUp(scene, stranger, above)
      for (const id of own) expects(`${role}, own account`, 'refused', await knock(scene, userId, id, below))
      const outcomes = isLetIn
        ? (['done', 'waits', 'waits'] as const)
        : (['refused', 'refused', 'refused'] as const)
      expects(`${role}, below`, outcomes[0], await knock(scene, userId, small, below))
      expects(`${role}, beyond the day's sum`, outcomes[1], await knock(scene, userId, more, below))
      const first = expects(`${role}, above`, outcomes[2], await knock(scene, userId, large, above))
      if (!isLetIn) continue
      expects(`${role}, agrees with himself`, 'refused', await agree(scene, userId, large, first))
      const second = door.seconds[role as 'support' | 'admin']
      expects(`${role}, a second person`, 'done', await agree(scene, second, large, first))
      // Somebody else asks for this person's account, who then would be the second.
      const asked = expects(
        `${role}, asked for`,
        'waits',
        await knock(scene, askerOf(door, userId), own[1] ?? '', above),
      )
      expects(
        `${role}, second for the own account`,
        'refused',
        await agree(scene, userId, own[1] ?? '', asked),
      )
      // An account that will be paid to an address of this person.
      const alias = await setUp(scene, 3, below)
      const later = await setUp(scene, stranger, below)
      await sql`update payment_profiles set next_address = ${addressOf(userId)}, next_from = now() + interval '9 years'
      where user_id = 3`.execute(scene.db)
      scene.clock.advance(25 * 3_600_000)
      expects(`${role}, an account with an own address`, 'refused', await knock(scene, userId, alias, below))
      await sql`update payment_profiles set next_address = null, next_from = null where user_id = 3`.execute(
        scene.db,
      )
      expects(`${role}, a day later`, 'done', await knock(scene, userId, later, below))
    }
    expect(open).toEqual([])
  },
)

/** Somebody else who may ask at this door. */
const askerOf = (door: Door, userId: number): number =>
  [secondSupport, secondAdmin].find(
    (other) => other !== userId && (other === secondAdmin || door.opensFor.includes('support')),
  ) ?? secondAdmin

test('a payment run takes two persons whatever its amount, and nobody drafts or approves one that pays himself', async () => {
  const scene = await openScene()
  const { aClosedCycle, call } = scene
  const { id: cycleId } = await aClosedCycle(
    ...[stranger, ...Object.values(people)].map((client) => ({ client })),
  )
  const draft = (userId: number, account: number) =>
    call(userId, 'POST', '/api/payment-runs', { body: { references: [`${cycleId}-${account}`] } })
  const step = (userId: number, id: string, verb: string, body?: object) =>
    call(userId, 'PUT', `/api/payment-runs/${id}/${verb}`, body === undefined ? {} : { body })
  for (const userId of [people.client, people.tester])
    expect((await draft(userId, stranger)).status).toBe(403)
  for (const userId of [people.support, people.admin]) {
    expect((await draft(userId, userId)).status).toBe(403)
    const own = (await draft(secondSupport, userId)).body
    expect((await step(userId, own.id, 'approve')).status).toBe(403)
    const { id } = (await draft(userId, stranger)).body
    expect((await step(userId, id, 'approve')).status).toBe(409)
    expect((await step(secondAdmin, id, 'approve')).body.status).toBe('approved')
    expect((await step(userId, id, 'cancel', { reason })).status).toBe(200)
  }
})
