import { fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { usersRoutes } from '@tollgate/contract/users/users.ts'
import { expect, test } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { useApiMutation, useApiQuery } from './use-api.ts'

/** A list and a button that is never drawn as busy: the worst case for a double click. */
function Renew() {
  const list = useApiQuery(usersRoutes.listUsers)
  const renew = useApiMutation(usersRoutes.renewSmppCredentials, {
    refetch: ['/api/users'],
    success: 'Renewed',
    failure: 'Failed to renew',
  })
  return <button onClick={() => renew.mutate({ params: { id: 1 } })}>{list.data?.length} renew</button>
}

const path = 'POST /api/users/1/smpp-credentials'
const pair = { systemId: 'client6', password: 'pw', host: 'gate.example', port: 2775 }

test('a double click sends one call and reports it once; after it the call can be made again', async () => {
  const { requests } = renderApp(<Renew />, { answers: { 'GET /api/users': [admin], [path]: pair } })
  const button = await screen.findByText('1 renew')
  fireEvent.click(button)
  fireEvent.click(button)
  const sent = () => requests.filter(({ method }) => method === 'POST').length
  expect((await screen.findAllByText('Renewed')).length).toBeGreaterThan(0)
  expect(sent()).toBe(1)
  expect(screen.queryByText('Failed to renew')).toBeNull()
  await expect.poll(() => requests.filter(({ path: each }) => each === '/api/users').length).toBe(2)
  await userEvent.click(button)
  await expect.poll(sent).toBe(2)
})

test('after a refusal the same call can be made at once', async () => {
  const { requests } = renderApp(<Renew />, {
    answers: {
      'GET /api/users': [admin],
      [path]: () => refusal(503, { code: 'unavailable', message: 'Later.' }),
    },
  })
  const button = await screen.findByText('1 renew')
  await userEvent.click(button)
  await screen.findAllByText('Failed to renew')
  await userEvent.click(button)
  await expect.poll(() => requests.filter(({ method }) => method === 'POST').length).toBe(2)
})
