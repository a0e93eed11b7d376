// Every door through which money, or what is owed, can be moved, tried by everybody: who is let in, who is not, what one
// person may do alone, and what takes two. The table stands in docs/money.md.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addressOf, openTestBilling } from '../../../test/money.ts'
import type { TestAnswer } from '../../../test/api.ts'
import { row } from '../../platform/db.ts'
import type { Actor } from '../../platform/http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import { toAddress } from '../../rates/index.ts'
import { bookTransfer } from '../payments/book-transfer.ts'
import { noteTransfers } from '../payments/transfer-store.ts'

type Scene = Awaited<ReturnType<typeof openScene>>

const reason = 'checked with the client'
let hashes = 0
const newHash = () => (hashes += 1).toString(16).padStart(64, 'd')

// u4 and u5 are support, u6 and u7 admins, u8 has the role test. Each of them earns like a client. u9 and u10 are admins who
// only set things up.
const people = { client: 1, support: 4, admin: 6, tester: 8 } as const
const [secondSupport, secondAdmin] = [5, 7]
const stranger = 2
const [setter, secondSetter] = [9, 10]
const wallet = toAddress('77'.repeat(20))

async function openScene() {
  const scene = await openTestBilling()
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select 'u' || i, 'u@example.org', 'U', 'U', 'x', case i when 8 then 'test' else 'admin' end
    from generate_series(7, 10) i`.execute(scene.db)
  await sql`insert into settings (key, value) values ('treasury_addresses', ${wallet}), ('address_wait_hours', '1')`.execute(
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
  /** Who must agree: a second person above the limit (by default), always, or never. */
  readonly needs?: 'always' | 'never'
}

/** What becomes of what one person does below the limit, beyond the day's sum, and above the limit. */
const outcomesOf = ({ needs }: Door): readonly [Outcome, Outcome, Outcome] => {
  if (needs === 'always') return ['waits', 'waits', 'waits']
  return needs === 'never' ? ['done', 'done', 'done'] : ['done', 'waits', 'waits']
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

const micro = (amount: number) => BigInt(amount) * 1_000_000n

/** A transfer of ours to this account that nothing asked for, in an irreversible block. */
async function aTransferTo({ db, clock }: Scene, client: number, amountMicro: bigint): Promise<string> {
  const at = { blockAt: clock.now(), isFinal: true, seenAt: clock.now() }
  const to = await row<{ address: string }>(
    db,
    sql`select usdt_address as address from payment_profiles where user_id = ${client}`,
  )
  const [noted] = await noteTransfers(db, { network: '', txid: newHash(), ...at }, [
    { logIndex: 0, from: wallet, to: to?.address ?? '', amountMicro },
  ])
  return noted?.id ?? ''
}

/** A payment of a bill of `due` USDT by a transfer of `received`: it waits for a decision on the difference. */
async function aDifferenceOf(scene: Scene, client: number, due: number, received: number): Promise<string> {
  const [cycleId = 0] = (await aBillOf(scene, client, due)).split('-').map(Number)
  const transferId = await aTransferTo(scene, client, micro(received))
  const actor = { userId: setter, username: 'u9', role: 'admin' } as Actor
  const parts = [
    { debtId: { kind: 'period', cycleId, userId: client }, amountMicro: micro(received) } as const,
  ]
  const booking = { transferId, parts, isOurs: true, actor, ip: '', notes: '' }
  const [id = ''] = await transaction(scene.db, (tx) => bookTransfer(tx, scene.deps, booking))
  return id
}

/** A payment of a bill that counts by the word of u9, and of u10 above the limit. */
async function aPaymentByWord(scene: Scene, client: number, amount: number): Promise<string> {
  const id = await aBillOf(scene, client, amount)
  for (const userId of [setter, secondSetter])
    await scene.call(userId, 'PUT', `/api/billing/periods/${id}/pay`, {
      body: { transactionHash: transferFor(id) },
    })
  return (await scene.call(setter, 'GET', `/api/payments/all?periodId=${id}`)).body[0].id
}

let addresses = 20
/** A bill whose account has another address by now. */
async function aLostBillOf(scene: Scene, client: number, amount: number): Promise<string> {
  const id = await aBillOf(scene, client, amount)
  addresses += 1
  await sql`update payment_profiles set usdt_address = ${addressOf(addresses)} where user_id = ${client}`.execute(
    scene.db,
  )
  return id
}

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
  {
    name: 're-address a bill',
    opensFor: staff,
    seconds: bothStaff,
    needs: 'always',
    setUp: aLostBillOf,
    knock: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/billing/periods/${id}/readdress`, { body: { reason } }),
    agree: (scene, userId, id, first) => {
      const from = new Date(first.body.acceptableFrom)
      if (from > scene.clock.now()) scene.clock.set(from)
      return agreeOnAmendment(scene, userId, id, first)
    },
    outcomeOf: amendmentOutcome,
  },
  ...(['owe', 'waive', 'credit'] as const).map((difference): Door => ({
    name: `${difference} a difference`,
    opensFor: staff,
    seconds: bothStaff,
    ...(difference === 'owe' && { needs: 'never' }),
    setUp: (scene, account, amount) =>
      difference === 'credit'
        ? aDifferenceOf(scene, account, 1, amount + 1)
        : aDifferenceOf(scene, account, amount + 1, 1),
    knock: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/payments/${id}/decide`, { body: { action: 'accept', difference, reason } }),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.proposal === null ? 'done' : 'waits')),
  })),
  {
    name: 'match a transfer',
    opensFor: staff,
    seconds: bothStaff,
    setUp: async (scene, account, amount) => {
      const bill = await aBillOf(scene, account, amount)
      return `${bill} ${await aTransferTo(scene, account, micro(amount))}`
    },
    knock: ({ call }, userId, id) => {
      const [bill, transfer] = id.split(' ')
      return call(userId, 'PUT', `/api/treasury/transfers/${transfer}/match`, {
        body: { references: [bill], reason },
      })
    },
    agree: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/treasury/transfers/${id.split(' ')[1]}/decide`, {
        body: { action: 'accept', reason },
      }),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.state === 'booked' ? 'done' : 'waits')),
  },
  {
    // Whoever entered it does not replace it alone: replace-hash.test.ts.
    name: 'replace a hash',
    opensFor: staff,
    seconds: bothStaff,
    needs: 'never',
    setUp: aPaymentByWord,
    knock: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/payments/${id}/hash`, { body: { transactionHash: newHash(), reason } }),
    outcomeOf: (answer) => refusedOr(answer, () => 'done'),
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
    /** Nobody agrees with himself or for himself, and somebody else does. */
    async function twoPersons(role: string, userId: number, own: string, large: string, first: TestAnswer) {
      expects(`${role}, agrees with himself`, 'refused', await agree(scene, userId, large, first))
      const second = door.seconds[role as 'support' | 'admin']
      expects(`${role}, a second person`, 'done', await agree(scene, second, large, first))
      // Somebody else asks for this person's account, who then would be the second.
      const asked = expects(
        `${role}, asked for`,
        'waits',
        await knock(scene, askerOf(door, userId), own, above),
      )
      expects(`${role}, second for the own account`, 'refused', await agree(scene, userId, own, asked))
    }
    for (const [role, userId] of Object.entries(people) as [keyof typeof people, number][]) {
      const isLetIn = door.opensFor.includes(role)
      // All of it first: closing a cycle takes a week.
      const own = [await setUp(scene, userId, below), await setUp(scene, userId, above)]
      const [small, more] = [await setUp(scene, stranger, below), await setUp(scene, stranger, below)]
      const large = await setUp(scene, stranger, above)
      for (const id of own) expects(`${role}, own account`, 'refused', await knock(scene, userId, id, below))
      const outcomes = isLetIn ? outcomesOf(door) : (['refused', 'refused', 'refused'] as const)
      expects(`${role}, below`, outcomes[0], await knock(scene, userId, small, below))
      expects(`${role}, beyond the day's sum`, outcomes[1], await knock(scene, userId, more, below))
      const first = expects(`${role}, above`, outcomes[2], await knock(scene, userId, large, above))
      if (!isLetIn) continue
      if (door.needs !== 'never') await twoPersons(role, userId, own[1] ?? '', large, first)
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
      expects(`${role}, a day later`, outcomes[0], await knock(scene, userId, later, below))
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

test('hashes of a run are taken from staff alone, and from nobody for his own account', async () => {
  const scene = await openScene()
  const { aClosedCycle, call } = scene
  const { id: cycleId } = await aClosedCycle(
    ...[stranger, people.support, people.admin].map((client) => ({ client })),
  )
  const references = [stranger, people.support, people.admin].map((account) => `${cycleId}-${account}`)
  // Two who are in no line of it.
  const { id } = (await call(setter, 'POST', '/api/payment-runs', { body: { references } })).body
  for (const verb of ['approve', 'export']) await call(secondSetter, 'PUT', `/api/payment-runs/${id}/${verb}`)
  const { lines } = (await call(setter, 'GET', `/api/payment-runs/${id}`)).body
  const enter = (userId: number, account: number) => {
    const line = lines.find(({ userId: of }: { userId: number }) => of === account)
    const data = `reference,transaction_hash\nrun-${id}-${line.id},${newHash()}`
    return call(userId, 'POST', `/api/payment-runs/${id}/hashes`, { body: { data } })
  }
  for (const userId of [people.client, people.tester])
    expect((await enter(userId, stranger)).status).toBe(403)
  for (const userId of [people.support, people.admin])
    expect((await enter(userId, userId)).body).toMatchObject({
      isApplied: false,
      lines: [{ outcome: 'refused', message: expect.stringContaining('your own account') }],
    })
  for (const account of [stranger, people.admin])
    expect((await enter(people.support, account)).body.isApplied).toBe(true)
})
