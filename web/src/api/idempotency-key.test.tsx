import { adjustmentRoutes } from '@tollgate/contract/adjustments/adjustments.ts'
import { usersRoutes } from '@tollgate/contract/users/users.ts'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { renderApp } from '../testing/render.tsx'
import { CallKeys } from './idempotency-key.ts'
import { useApiMutation } from './use-api.ts'

const body = { userId: 1, amount: '5', reason: 'goodwill' }

function Payer() {
  const act = useApiMutation(adjustmentRoutes.createAdjustment, { failure: false })
  return (
    <>
      <button type="button" onClick={() => act.mutate({ body })}>
        Pay
      </button>
      <button type="button" onClick={() => act.mutate({ body: { ...body, amount: '6' } })}>
        Pay another
      </button>
    </>
  )
}

test('a call that is made again after a failure carries the same key, another amount another one', async () => {
  const answers = {
    'POST /api/billing/adjustments': () => refusal(503, { code: 'unavailable', message: 'no' }),
  }
  const { requests } = renderApp(<Payer />, { answers })
  const keys = () =>
    requests.filter(({ method }) => method === 'POST').map(({ headers }) => headers.get('idempotency-key'))
  await userEvent.click(await screen.findByRole('button', { name: 'Pay' }))
  await expect.poll(() => keys()).toHaveLength(1)
  // A click before the failure has arrived is a double click, and sends nothing.
  await expect
    .poll(async () => {
      await userEvent.click(screen.getByRole('button', { name: 'Pay' }))
      return keys().length
    })
    .toBeGreaterThan(1)
  const [first, second] = keys()
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(second).toBe(first)
  await userEvent.click(screen.getByRole('button', { name: 'Pay another' }))
  await expect.poll(() => keys().at(-1)).not.toBe(first)
})

test('a call keeps its key until it is done; routes that take none get none', () => {
  const keys = new CallKeys()
  const key = keys.keyFor(adjustmentRoutes.createAdjustment, { body })
  expect(keys.keyFor(adjustmentRoutes.createAdjustment, { body: { ...body } })).toBe(key)
  keys.forget({ body })
  expect(keys.keyFor(adjustmentRoutes.createAdjustment, { body })).not.toBe(key)
  expect(new CallKeys().keyFor(adjustmentRoutes.createAdjustment, { body })).not.toBe(key)
  expect(keys.keyFor(usersRoutes.listUsers, {})).toBeUndefined()
})
