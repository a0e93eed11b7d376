// An export of a run and an amendment at the same moment: the first one is stopped just before its commit, and the second
// one begins then. Without turns the file would pay what is withheld or taken off, or send it to the former address.
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { addressOf } from '../../test/money/billing.ts'
import { openTestTreasury } from '../../test/money/treasury.ts'
import type { TestAnswer } from '../../test/http/api.ts'
import { row, type Db } from '../platform/db.ts'

/** An act on money, and the name under which the audit log has it. */
interface Act {
  readonly action: string
  run(): Promise<TestAnswer>
}

/** Whether a transaction of this database waits for a lock, also for one of a row. */
async function hasWaiter(db: Db): Promise<boolean> {
  const found = await row(
    db,
    sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`,
  )
  return found !== undefined
}

function gate() {
  let open: () => void = () => undefined
  const passed = new Promise<void>((resolve) => (open = resolve))
  return { open, passed }
}

/** A run of these debts that two persons have agreed to; its export, and amendments of bills. */
async function openApproved(referencesOf: (cycleId: number) => string[]) {
  const environment = await openTestTreasury()
  const { audit, call, cycleId, db } = environment
  const { body } = await call(4, 'POST', '/api/payment-runs', {
    body: { references: referencesOf(cycleId), note: 'week 10' },
  })
  const step = (verb: string) => call(5, 'PUT', `/api/payment-runs/${body.id}/${verb}`)
  expect((await step('approve')).body.status).toBe('approved')
  const exporting: Act = { action: 'payment_run.export', run: () => step('export') }
  const amending = (action: string, client: number, what: string, input: object = {}): Act => ({
    action: `billing_period.${action}`,
    run: () =>
      call(6, what === 'credit-notes' ? 'POST' : 'PUT', `/api/billing/periods/${cycleId}-${client}/${what}`, {
        body: { reason: 'the carrier disputes it', ...input },
      }),
  })

  /** Whether each succeeds, when the second one begins while the first one has done all but its commit. */
  async function race(first: Act, second: Act): Promise<boolean[]> {
    const [reached, released] = [gate(), gate()]
    const record = audit.record.bind(audit)
    const spy = vi.spyOn(audit, 'record').mockImplementation(async (tx, entry) => {
      if (entry.action === first.action) {
        reached.open()
        await released.passed
      }
      return record(tx, entry)
    })
    const one = first.run()
    await Promise.race([reached.passed, one])
    let isAnswered = false
    const two = second.run().finally(() => (isAnswered = true))
    await expect.poll(async () => isAnswered || (await hasWaiter(db))).toBe(true)
    released.open()
    const answers = await Promise.all([one, two])
    spy.mockRestore()
    return answers.map(({ status }) => status < 300)
  }
  return { ...environment, runId: body.id, exporting, amending, race, step }
}

test.each([
  ['withholding', 'withhold', 1, 'withhold', {}],
  ['a credit note', 'credit', 1, 'credit-notes', { amount: '0.2' }],
  ['a credit note that waits for a second person', 'request_credit', 3, 'credit-notes', { amount: '150' }],
  ['a void', 'void', 1, 'void', {}],
])('of %s and the export of its run, the first one alone counts', async (_, action, client, what, input) => {
  for (const isExportFirst of [true, false]) {
    const { amending, call, exporting, race, runId } = await openApproved((id) => [`${id}-1`, `${id}-3`])
    const amendment = amending(action, client, what, input)
    const both = isExportFirst ? ([exporting, amendment] as const) : ([amendment, exporting] as const)
    expect([isExportFirst, await race(...both)]).toEqual([isExportFirst, [true, false]])
    const { body } = await call(4, 'GET', `/api/payment-runs/${runId}`)
    expect(body.status).toBe(isExportFirst ? 'exported' : 'approved')
  }
})

/** A payout of client 1 in an approved run, and a new address that its bill may be sent to. */
async function openReaddressed() {
  const environment = await openApproved(() => ['payout-1'])
  const { call, clock, cycleId } = environment
  const next = addressOf(9)
  await call(1, 'PUT', '/api/user/profile', { body: { fullName: 'Client 1', usdtAddress: next } })
  const { body } = await call(4, 'PUT', `/api/billing/periods/${cycleId}-1/readdress`, {
    body: { reason: 'the wallet is lost' },
  })
  clock.advance(72 * 3_600_000)
  const accepting: Act = {
    action: 'billing_period.readdress',
    run: () =>
      call(5, 'PUT', `/api/billing/amendments/${body.id}/decide`, {
        body: { action: 'accept', reason: 'confirmed by telephone' },
      }),
  }
  const addressesNow = async () => [
    (await call(4, 'GET', `/api/billing/periods/${cycleId}-1`)).body.usdtAddress,
    (await call(4, 'GET', '/api/payouts?id=1')).body[0].usdtAddress,
  ]
  return { ...environment, accepting, addressesNow, next }
}

test('a payout whose file is with the wallet keeps its address when its bill gets another one, and is booked', async () => {
  for (const isAtOnce of [true, false]) {
    const { accepting, addressesNow, call, exporting, next, race, read, runId, send } =
      await openReaddressed()
    if (isAtOnce) expect(await race(exporting, accepting)).toEqual([true, true])
    else
      expect([await exporting.run(), await accepting.run()]).toMatchObject([{ status: 200 }, { status: 200 }])
    expect([isAtOnce, ...(await addressesNow())]).toEqual([isAtOnce, next, addressOf(1)])
    send([addressOf(1), 1_000_000n])
    await read()
    expect((await call(4, 'GET', `/api/payment-runs/${runId}`)).body).toMatchObject({
      status: 'closed',
      paidAmount: '1.00',
    })
  }
})

test('a run is not exported to the former address of a payout that just follows its bill', async () => {
  const { accepting, addressesNow, db, exporting, next, race } = await openReaddressed()
  expect(await race(accepting, exporting)).toEqual([true, false])
  expect(await addressesNow()).toEqual([next, next])
  expect((await sql`select from payment_runs where status = 'exported'`.execute(db)).rows).toEqual([])
})
