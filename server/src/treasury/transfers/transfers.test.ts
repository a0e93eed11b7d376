// Transfers that nothing asked for are shown with what they may be for, and people say what they were.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { contractHex, openTestTreasury, txidOf, walletHex } from '../../../test/money/treasury.ts'
import { ledgerOf } from '../../../test/money/bills-on-chain.ts'
import { row } from '../../platform/db.ts'
import { addressBytes, toAddress } from '../../rates/index.ts'

async function openTransfers() {
  const environment = await openTestTreasury()
  const { call, cycleId, read, send, transfers } = environment
  return {
    ...environment,
    billOf: (client: number) => `${cycleId}-${client}`,
    say: (id: string, verb: 'match' | 'explain' | 'decide', body: object, by = 4) =>
      call(by, 'PUT', `/api/treasury/transfers/${id}/${verb}`, { body }),
    /** A transfer that was read, as the list shows it. */
    sent: async (to: string, amountMicro: bigint) => {
      const txid = send([to, amountMicro])
      await read()
      await read()
      const found = (await transfers()).find(({ transactionHash }) => transactionHash === txid)
      if (found === undefined) throw new Error('The transfer was not read')
      return found
    },
  }
}

test('a transfer is proposed by address, amount and time: one debt, all of a client, or the nearest', async () => {
  const { address, billOf, sent } = await openTransfers()
  const fits = async (to: string, amountMicro: bigint) =>
    (await sent(to, amountMicro)).proposals.map(({ userName, references, fit }) => [
      userName,
      references,
      fit,
    ])
  expect((await fits(address(1), 500_000n))[0]).toEqual(['u1', [billOf(1)], 'exact'])
  expect((await fits(address(1), 1_000_000n))[0]).toEqual(['u1', ['payout-1'], 'exact'])
  expect((await fits(address(1), 1_500_000n))[0]).toEqual(['u1', [billOf(1), 'payout-1'], 'exact'])
  expect((await fits(address(2), 20_000n))[0]).toEqual(['u2', [billOf(2)], 'less'])
  expect((await fits(address(2), 1_000_000n))[0]).toEqual(['u2', [billOf(2)], 'more'])
  expect(await fits(address(7), 50_000n)).toEqual([])
})

test('a transfer that is older than a debt is not proposed for it', async () => {
  const { address, clock, node, read, transfers, transferTo } = await openTransfers()
  const at = new Date(clock.now().getTime() - 3_600_000)
  node.mine(txidOf(1), [transferTo(address(2), 50_000n)], { at })
  await read()
  expect(await transfers()).toMatchObject([{ state: 'open', proposals: [] }])
})

test('matched by a person, a transfer is booked as it is: in full, in part, and beyond', async () => {
  const { address, billOf, billing, call, db, say, sent } = await openTransfers()
  const whole = await sent(address(1), 1_500_000n)
  const body = { references: [billOf(1), 'payout-1'], reason: 'sent by hand' }
  expect((await say(whole.id, 'match', body)).body).toMatchObject({
    state: 'booked',
    references: [billOf(1), 'payout-1'],
    userName: 'u1',
    decision: { kind: 'match', requestedBy: 'u4' },
  })
  expect((await say(whole.id, 'match', body)).status).toBe(409)
  const part = await sent(address(2), 20_000n)
  await say(part.id, 'match', { references: [billOf(2)], reason: 'the first part' })
  const bill = async () => (await call(4, 'GET', '/api/billing/all-periods?userId=2')).body[0]
  expect(await bill()).toMatchObject({
    receivedAmount: '0.02',
    dueAmount: '0.03',
    paymentVerification: 'underpaid',
  })
  const rest = await sent(address(2), 30_000n)
  expect(rest.proposals[0]).toMatchObject({ fit: 'exact', dueAmount: '0.03' })
  await say(rest.id, 'match', { references: [billOf(2)], reason: 'the rest' })
  expect(await bill()).toMatchObject({ receivedAmount: '0.05', status: 'paid' })
  // Sent twice: more than the bill arrived.
  const again = await sent(address(2), 50_000n)
  expect(again.proposals).toEqual([])
  expect((await say(again.id, 'match', { references: [billOf(2)], reason: 'sent twice' })).body.state).toBe(
    'booked',
  )
  expect(await bill()).toMatchObject({ receivedAmount: '0.10' })
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
  expect(await ledgerOf(db, 2)).toMatchObject({ paid: '100000' })
})

test('a match of another address, another client, or more debts than it reaches is refused', async () => {
  const { address, billOf, say, sent } = await openTransfers()
  const { id } = await sent(address(1), 500_000n)
  const status = async (...references: string[]) =>
    (await say(id, 'match', { references, reason: 'x' })).status
  expect(await status(billOf(2))).toBe(400)
  expect(await status(billOf(1), billOf(2))).toBe(400)
  expect(await status(billOf(1), 'payout-1')).toBe(400)
  expect(await status(billOf(1), billOf(1))).toBe(400)
  expect(await status('99-9')).toBe(404)
  expect((await say('999', 'match', { references: [billOf(1)], reason: 'x' })).status).toBe(404)
  expect((await say(id, 'match', { references: [billOf(1)], reason: ' ' })).status).toBe(400)
  expect(await status(billOf(1))).toBe(200)
})

test('above the limit of a day a second person agrees; whoever asked may take it back', async () => {
  const { address, billOf, say, sent, transfers } = await openTransfers()
  const large = await sent(address(3), 210_000_000n)
  const matched = await say(large.id, 'match', { references: [billOf(3)], reason: 'by hand' })
  expect(matched.body).toMatchObject({ state: 'waiting', decision: { requestedBy: 'u4', decidedBy: '' } })
  expect((await say(large.id, 'explain', { reason: 'no' }, 5)).status).toBe(409)
  expect((await say(large.id, 'decide', { action: 'accept', reason: 'yes' })).status).toBe(409)
  expect((await say(large.id, 'decide', { action: 'reject', reason: 'my mistake' })).body.state).toBe('open')
  await say(large.id, 'match', { references: [billOf(3)], reason: 'by hand' })
  expect((await say(large.id, 'decide', { action: 'accept', reason: 'yes' }, 5)).body).toMatchObject({
    state: 'booked',
    decision: { requestedBy: 'u4', decidedBy: 'u5' },
  })
  // What one person explains away is counted together.
  const one = await sent(address(7), 60_000_000n)
  const two = await sent(address(7), 60_000_000n)
  expect((await say(one.id, 'explain', { reason: 'energy' })).body.state).toBe('explained')
  expect((await say(two.id, 'explain', { reason: 'energy' })).body.state).toBe('waiting')
  expect((await transfers('?state=waiting')).map(({ id }) => id)).toEqual([two.id])
  expect((await say(two.id, 'decide', { action: 'accept', reason: 'yes' }, 6)).body.state).toBe('explained')
})

test('two persons who match one transfer at once book it once', async () => {
  const { address, billOf, db, say, sent } = await openTransfers()
  const { id } = await sent(address(1), 500_000n)
  const body = { references: [billOf(1)], reason: 'by hand' }
  const answers = await Promise.all([4, 5, 6, 4, 5].map((by) => say(id, 'match', body, by)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await row(db, sql`select booked_micro as booked from transfers`)).toEqual({ booked: '500000' })
})

test('two bills that name one transfer at the same instant: one of them is paid by it', async () => {
  const { aClosedCycle, aPayee, address, billing, call, clock, db, send } = await openTransfers()
  await aPayee(2, address(1))
  const { id: cycleId } = await aClosedCycle({ client: 1, count: 1 }, { client: 2, count: 1 })
  const transactionHash = send([address(1), 50_000n])
  await Promise.all(
    [1, 2].map((client) =>
      call(4, 'PUT', `/api/billing/periods/${cycleId}-${client}/pay`, { body: { transactionHash } }),
    ),
  )
  clock.advance(10_000)
  await Promise.all([billing.checkPayments(), billing.readTreasury(), billing.checkPayments()])
  const { body } = await call(4, 'GET', '/api/billing/all-periods?status=paid')
  expect(body.map(({ id }: { id: string }) => id)).toHaveLength(1)
  expect(await row(db, sql`select booked_micro as booked from transfers`)).toEqual({ booked: '50000' })
})

test('nobody matches a transfer to an account of his own, and clients see none of it', async () => {
  const { aClosedCycle, aPayee, address, call, say, sent } = await openTransfers()
  await aPayee(5)
  const { id: cycleId } = await aClosedCycle({ client: 5, count: 1 })
  const { id } = await sent(address(5), 50_000n)
  expect((await say(id, 'match', { references: [`${cycleId}-5`], reason: 'mine' }, 5)).status).toBe(403)
  expect((await call(1, 'GET', '/api/treasury/transfers')).status).toBe(403)
})

test('dust to a forged address shows whose address it looks like', async () => {
  const { address, db, sent } = await openTransfers()
  const real = address(2)
  // An address with the same ends, of a client that was paid once.
  const forged = lookAlikeOf(real)
  await sql`update payment_profiles set usdt_address = ${forged} where user_id = 2`.execute(db)
  const dust = await sent(real, 1n)
  expect(dust.lookAlikes).toEqual([{ address: forged, userName: 'u2' }])
  expect(dust.proposals[0]).toMatchObject({ fit: 'less' })
})

/** Text with the same three characters at each end; only the ends are compared. */
const lookAlikeOf = (address: string): string => `${address.slice(0, 3)}${'x'.repeat(28)}${address.slice(-3)}`

test('the list is exported with what people said', async () => {
  const { address, call, say, sent } = await openTransfers()
  const { id } = await sent(address(7), 5n)
  await say(id, 'explain', { reason: 'a trial' })
  const { text } = await call(4, 'GET', '/api/treasury/transfers/export?state=explained')
  expect(text).toContain('a trial')
  expect(text).toContain('0.000005')
  expect([contractHex.length, addressBytes(toAddress(walletHex))]).toEqual([40, walletHex])
})
