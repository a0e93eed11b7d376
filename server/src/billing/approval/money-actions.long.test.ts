// Every act that moves money, or what is owed, tried by everybody: who is let in, who is not, what one
// person may do alone, and what takes two. The table stands in docs/money.md.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Route } from '@tollgate/contract/route.ts'
import type { TestAnswer } from '../../../test/http/api.ts'
import { moneyActions } from '../../../test/money/money-actions.ts'
import {
  aPayoutOf,
  newHash,
  openMoneyActions,
  people,
  reason,
  secondAdmin,
  secondSetter,
  secondSupport,
  setter,
  stranger,
  type MoneyAction,
  type MoneyOutcome,
} from '../../../test/money/money-actions-environment.ts'
import { addressOf } from '../../../test/money/billing.ts'

/** What becomes of what one person does below the limit, beyond the day's sum, and above the limit. */
const outcomesOf = ({ needs }: MoneyAction): readonly [MoneyOutcome, MoneyOutcome, MoneyOutcome] => {
  if (needs === 'always') return ['waits', 'waits', 'waits']
  return needs === 'never' ? ['done', 'done', 'done'] : ['done', 'waits', 'waits']
}

// The limit is 100 USDT.
const [below, above] = [60, 120]

test.each(moneyActions)(
  '$name: every role, own and other accounts, one person and two, one act and a day',
  async (action) => {
    const environment = await openMoneyActions()
    const { attempt, setUp, outcomeOf } = action
    // Where it is the same call, the second person makes it again.
    const agree = action.agree ?? ((environment, userId, id) => attempt(environment, userId, id, above))
    const open: string[] = []
    const expects = (what: string, expected: MoneyOutcome, answer: TestAnswer) => {
      const outcome = outcomeOf(answer)
      if (outcome !== expected)
        open.push(`${what}: ${outcome} (${answer.status} ${answer.body?.message ?? ''})`)
      return answer
    }
    /** Nobody agrees with himself or for himself, and somebody else does. */
    async function twoPersons(role: string, userId: number, own: string, large: string, first: TestAnswer) {
      expects(`${role}, agrees with himself`, 'refused', await agree(environment, userId, large, first))
      const second = action.seconds[role as 'support' | 'admin']
      expects(`${role}, a second person`, 'done', await agree(environment, second, large, first))
      // Somebody else asks for this person's account, who then would be the second.
      const waiting = expects(
        `${role}, requested`,
        'waits',
        await attempt(environment, askerOf(action, userId), own, above),
      )
      expects(
        `${role}, second for the own account`,
        'refused',
        await agree(environment, userId, own, waiting),
      )
    }
    for (const [role, userId] of Object.entries(people) as [keyof typeof people, number][]) {
      const isLetIn = action.allowedRoles.includes(role)
      // All of it first: closing a cycle takes a week.
      const own = [await setUp(environment, userId, below), await setUp(environment, userId, above)]
      const [small, more] = [
        await setUp(environment, stranger, below),
        await setUp(environment, stranger, below),
      ]
      const large = await setUp(environment, stranger, above)
      for (const id of own)
        expects(`${role}, own account`, 'refused', await attempt(environment, userId, id, below))
      const outcomes = isLetIn ? outcomesOf(action) : (['refused', 'refused', 'refused'] as const)
      expects(`${role}, below`, outcomes[0], await attempt(environment, userId, small, below))
      expects(`${role}, beyond the day's sum`, outcomes[1], await attempt(environment, userId, more, below))
      const first = expects(`${role}, above`, outcomes[2], await attempt(environment, userId, large, above))
      if (!isLetIn) continue
      if (action.needs !== 'never') await twoPersons(role, userId, own[1] ?? '', large, first)
      if (action.isOfAddress === true) continue
      // An account that will be paid to an address of this person.
      const alias = await setUp(environment, 3, below)
      const later = await setUp(environment, stranger, below)
      await sql`update payment_profiles set next_address = ${addressOf(userId)}, next_from = now() + interval '9 years'
      where user_id = 3`.execute(environment.db)
      environment.clock.advance(25 * 3_600_000)
      expects(
        `${role}, an account with an own address`,
        'refused',
        await attempt(environment, userId, alias, below),
      )
      await sql`update payment_profiles set next_address = null, next_from = null where user_id = 3`.execute(
        environment.db,
      )
      expects(`${role}, a day later`, outcomes[0], await attempt(environment, userId, later, below))
    }
    expect(open).toEqual([])
  },
)

/** Somebody else who may ask for this act. */
const askerOf = (action: MoneyAction, userId: number): number =>
  [secondSupport, secondAdmin].find(
    (other) => other !== userId && (other === secondAdmin || action.allowedRoles.includes('support')),
  ) ?? secondAdmin

test('an address that only earlier payouts of a person name is an address of that person', async () => {
  const environment = await openMoneyActions()
  const { call, db } = environment
  await aPayoutOf(environment, people.support, below)
  await sql`update payouts set usdt_address = ${addressOf(30)} where user_id = ${people.support}`.execute(db)
  const pay = (userId: number) =>
    call(userId, 'POST', '/api/payments', {
      body: { userId: stranger, usdtAddress: addressOf(30), amount: '5', status: 'confirmed', notes: reason },
    })
  expect((await pay(people.support)).status).toBe(403)
  expect((await pay(secondSupport)).status).toBe(201)
})

test('a payment run takes two persons whatever its amount, and nobody drafts or approves one that pays himself', async () => {
  const environment = await openMoneyActions()
  const { aClosedCycle, call } = environment
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
  const environment = await openMoneyActions()
  const { aClosedCycle, call } = environment
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

test('each setting that guards money is loosened by two admins, after a wait, and by nobody else', async () => {
  const { call, clock, settings, db } = await openMoneyActions()
  const loose = {
    second_person_above: '5000',
    treasury_addresses: addressOf(40),
    address_wait_hours: '0',
    setting_wait_hours: '1',
    payable_after_days: '0',
    integrity_mode: 'off',
  }
  await sql`insert into settings (key, value) values ('payable_after_days', '3'), ('integrity_mode', 'dry_run')`.execute(
    db,
  )
  const guarded = (await settings.list(db)).filter(({ key }) => key in loose)
  expect(guarded.map(({ key }) => key).toSorted()).toEqual(Object.keys(loose).toSorted())
  for (const [key, settingValue] of Object.entries(loose)) {
    const path = `/api/admin/settings/${key}`
    const put = (userId: number) => call(userId, 'PUT', path, { body: { settingValue } })
    const approve = (userId: number) => call(userId, 'PUT', `${path}/change`, { body: { action: 'approve' } })
    for (const userId of [people.client, people.support, people.tester]) {
      expect((await put(userId)).status, key).toBe(403)
      expect((await approve(userId)).status, key).toBe(403)
    }
    expect((await put(people.admin)).body.pending, key).toMatchObject({ settingValue, approvedBy: '' })
    expect((await approve(people.admin)).status, key).toBe(409)
    const approved = (await approve(secondAdmin)).body
    expect(approved.pending, key).toMatchObject({ approvedBy: 'u7' })
    expect(approved.settingValue, key).not.toBe(settingValue)
  }
  clock.advance(24 * 3_600_000)
  await settings.beginDue(db)
  for (const { key, value } of await settings.list(db))
    if (key in loose) expect([key, value]).toEqual([key, loose[key as keyof typeof loose]])
})

// Writing routes of these slices that are tried above by a test of their own.
const triedAbove = ['cancelRun', 'exportRun', 'importRunHashes', 'putSetting', 'decideSettingChange']

// Writing routes that move nothing that is owed, each with the reason. A new route must be in the table of acts or in this
// list.
const harmless: Readonly<Record<string, string>> = {
  closeRun: 'it gives up waiting for transfers; what is owed stays, and another run takes two persons again',
  putProfile: 'the own profile; a changed address waits, and the console and a mail tell of it',
  putLegalEntity: 'what invoices print of the own account',
  putClientEntity: 'what invoices print',
  putOwnCompany: 'what invoices print',
  putBookSetup: "how the accountant's file names the ledger's accounts",
  createPurchasePrice: 'what suppliers pay, which this program reports and does not pay',
  allowClose: 'it lets the periods be closed that are due by the clock; their bills are what was earned',
  cancelScheduledGlobalRate: 'the rate of everybody, from now on',
  unassignNumber: 'it only takes earnings away, from now on',
  suspendNumber: 'whether messages come in from now on',
  resumeNumber: 'whether messages come in from now on',
  bulkUnassignNumbers: 'it only takes earnings away, from now on',
  unassignMatchingNumbers: 'it only takes earnings away, from now on',
  processMatchingRequests: 'yes or no to wishes; it assigns nothing',
  bulkProcessRequests: 'yes or no to wishes; it assigns nothing',
  createRequest: 'a wish; staff decide on it',
  editRequest: 'a wish; staff decide on it',
  withdrawRequest: 'it only gives a wish up',
  takeNumber: 'clients alone take numbers, by prices that staff set',
  addListedSender: 'senders whose messages are held from now on',
  importListedSenders: 'senders whose messages are held from now on',
  removeListedSender: 'senders whose messages are held from now on; what is held stays',
  addBackTest: 'it judges days that are over, and writes a report',
  compareCounts: 'it compares a file with the counters',
  addVersion: 'thresholds that judge nothing before they are live',
  putVersionLive: 'a looser version takes two admins and 24 hours, by the test of the versions',
  putTerms: 'looser terms take two admins and 24 hours, by the test of the terms',
  decideTermsChange: 'the second admin of looser terms',
  takeCase: 'who looks at a case',
  extendCase: 'when a case is due; what it holds stays held',
  decideCase: 'by the same approval as decideHolds, which is tried above; its own test has the two persons',
  importDispute: 'what a carrier says; it moves nothing',
  openDisputeCases: 'it holds or lists, and pays nothing',
  correctDispute: 'it makes an adjustment, which takes two persons',
  createNote: 'a remark for colleagues',
  deleteNote: 'a remark for colleagues',
  acknowledgeAuditBreak: 'it ends an alarm about the audit log',
  createPremiumNumber: 'what callers pay, in another currency',
  replacePremiumNumber: 'what callers pay, in another currency',
  deletePremiumNumber: 'whether messages come in from now on',
  readImportColumns: 'it reads a file and changes nothing',
  importPremiumNumbers: 'what callers pay, in another currency, and who holds a number from now on',
  undoNumberImport:
    'whether messages come in from now on; a number that somebody held or that has records stays',
  bulkSetNumberStatus: 'whether messages come in from now on',
  setMatchingNumberStatus: 'whether messages come in from now on',
  setMatchingRangeStatus: 'how the list shows a range',
  undoNumbersChange:
    'it gives back what was there before, from now on, but for numbers that were changed since; what was earned until then stays',
  createRange: 'what callers pay, in another currency',
  replaceRange: 'what callers pay, in another currency',
  cancelScheduledTariff: 'what callers pay, in another currency',
  deleteRange: 'what callers pay, in another currency',
  bulkSetRangeStatus: 'how the list shows a range',
}

test('every writing route of the slices that have to do with money is an act that is tried, or says why it is none', async () => {
  const { routes } = await openMoneyActions()
  const table = routes.flatMap((bound) => Object.entries(bound.table) as [string, Route][])
  const writing = table.filter(([name, { method }]) => method !== 'GET' && !name.startsWith('exportChosen'))
  const known = new Set([
    ...moneyActions.flatMap((action) => action.routes),
    ...triedAbove,
    ...Object.keys(harmless),
  ])
  expect(writing.map(([name]) => name).toSorted()).toEqual([...known].toSorted())
})
