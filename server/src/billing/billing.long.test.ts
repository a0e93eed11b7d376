import { expect, test } from 'vitest'
import { openTestBilling } from '../../test/money/billing.ts'

const hash = (digit: string) => digit.repeat(64)

test('of fifty payments of one bill at once one wins, and its hash pays nothing else', async () => {
  const { aClosedCycle, aPayee, call } = await openTestBilling()
  await aPayee(1)
  const { id: cycleId } = await aClosedCycle({}, { number: 3 })
  const path = `/api/billing/periods/${cycleId}-1/pay`
  for (const bad of ['', 'xyz', hash('g'), hash('a').slice(1)])
    expect((await call(4, 'PUT', path, { body: { transactionHash: bad } })).status).toBe(400)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      call(4 + (index % 3), 'PUT', path, {
        body: { transactionHash: index.toString(16).padStart(64, 'A') },
      }),
    ),
  )
  const winners = answers.filter(({ status }) => status === 200)
  expect(winners).toHaveLength(1)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
  expect(winners[0]?.body).toMatchObject({ status: 'paid', paymentVerification: 'unverified' })
  const [payout] = (await call(4, 'GET', '/api/payouts')).body
  const transactionHash = winners[0]?.body.paymentTxHash.toUpperCase()
  expect(
    (await call(4, 'PUT', `/api/payouts/${payout.id}/process`, { body: { transactionHash } })).status,
  ).toBe(409)
})
