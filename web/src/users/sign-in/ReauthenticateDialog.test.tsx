import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { reauthentication, useIsWaiting } from '../../api/waiting-calls.ts'
import { refusal } from '../../testing/api-stub.ts'
import { admin, renderApp } from '../../testing/render.tsx'
import { ReauthenticateDialog } from './ReauthenticateDialog.tsx'

function Screen() {
  return useIsWaiting(reauthentication) ? <ReauthenticateDialog /> : <p>Nothing waits</p>
}

test('with a second factor the code is asked for, too, and a wrong one is shown at its field', async () => {
  let isRight = false
  const { requests } = renderApp(<Screen />, {
    user: { ...admin, hasSecondFactor: true },
    answers: {
      'POST /api/user/reauthenticate': () =>
        isRight
          ? {}
          : refusal(400, { code: 'invalid', message: 'Wrong.', fields: { code: 'Wrong, or used before' } }),
    },
  })
  await screen.findByText('Nothing waits')
  const answer = reauthentication.request()
  await userEvent.type(await screen.findByLabelText('Your password'), 'secret{Enter}')
  expect(await screen.findByText('Enter the code')).toBeDefined()
  await userEvent.type(screen.getByLabelText('Code'), '123456{Enter}')
  expect(await screen.findByText('Wrong, or used before')).toBeDefined()
  isRight = true
  await userEvent.click(screen.getByRole('button', { name: 'Confirm' }))
  expect(await answer).toBe(true)
  expect(requests.at(-1)?.body).toEqual({ password: 'secret', code: '123456' })
})

test('without a second factor the password is enough', async () => {
  const { requests } = renderApp(<Screen />, { answers: { 'POST /api/user/reauthenticate': {} } })
  await screen.findByText('Nothing waits')
  const answer = reauthentication.request()
  await userEvent.type(await screen.findByLabelText('Your password'), 'secret{Enter}')
  expect(await answer).toBe(true)
  expect(screen.queryByLabelText('Code')).toBeNull()
  expect(requests.at(-1)?.body).toEqual({ password: 'secret' })
})
