import { treasuryRoutes } from '@tollgate/contract/treasury.ts'
import { usersRoutes } from '@tollgate/contract/users.ts'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { renderApp } from '../testing/render.tsx'
import { CallKeys } from './idempotency-key.ts'
import { useApiMutation } from './use-api.ts'

const body = { userId: 1, amount: '5', reason: 'goodwill' }

function Payer() {
  const act = useApiMutation(treasuryRoutes.createAdjustment, { failure: false })
  return (
    <>
      <button
        type="button"
        onClick={() => {
          // Two clicks before the button can show that it is busy.
          act.mutate({ body })
          act.mutate({ body })
        }}
      >
        Pay twice
      </button>
      <button type="button" onClick={() => act.mutate({ body: { ...body, amount: '6' } })}>
        Pay another
      </button>
    </>
  )
}

test('two clicks carry one key, another amount another one, and so does the same one once it is done', async () => {
  const answers = {
    'POST /api/billing/adjustments': () => refusal(503, { code: 'unavailable', message: 'no' }),
  }
  const { requests } = renderApp(<Payer />, { answers })
  const keys = () =>
    requests.filter(({ method }) => method === 'POST').map(({ headers }) => headers.get('idempotency-key'))
  await userEvent.click(await screen.findByRole('button', { name: 'Pay twice' }))
  await expect.poll(() => keys()).toHaveLength(2)
  const [first, second] = keys()
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(second).toBe(first)
  await userEvent.click(screen.getByRole('button', { name: 'Pay another' }))
  await expect.poll(() => keys()).toHaveLength(3)
  expect(keys()[2]).not.toBe(first)
})

test('a call keeps its key until it is done; routes that take none get none', () => {
  const keys = new CallKeys()
  const key = keys.keyFor(treasuryRoutes.createAdjustment, { body })
  expect(keys.keyFor(treasuryRoutes.createAdjustment, { body: { ...body } })).toBe(key)
  keys.forget({ body })
  expect(keys.keyFor(treasuryRoutes.createAdjustment, { body })).not.toBe(key)
  expect(new CallKeys().keyFor(treasuryRoutes.createAdjustment, { body })).not.toBe(key)
  expect(keys.keyFor(usersRoutes.listUsers, {})).toBeUndefined()
})
