import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { refusal, type ApiStubs } from '../../testing/api-stub.ts'
import { admin, renderApp } from '../../testing/render.tsx'
import { NewPasswordPage } from './NewPasswordPage.tsx'
import { RequireLogin } from '../../shell/RequireLogin.tsx'

const key = {
  id: 'k1',
  name: 'Report robot',
  scopes: ['records:read'],
  prefix: 'tgk_abcdef',
  createdAt: '2026-11-01T00:00:00.000Z',
  lastUsedAt: null,
  lastUsedAddress: null,
  lastUsedBy: null,
}

function renderGate(answers: ApiStubs = {}) {
  let restriction: string | undefined = 'password_change'
  return renderApp(
    <RequireLogin signIn={<p>Sign in</p>} newPassword={<NewPasswordPage />} secondFactor={null}>
      <p>The console</p>
    </RequireLogin>,
    {
      user: { ...admin, smppAccess: true },
      answers: {
        'GET /api/user': () => ({ ...admin, smppAccess: true, restriction }),
        'GET /api/keys': [key],
        'PUT /api/user/password': () => {
          restriction = undefined
          return {}
        },
        ...answers,
      },
    },
  )
}

test('the console opens once a password of one’s own is chosen, and what is ticked goes with the old one', async () => {
  const { requests } = renderGate()
  await userEvent.type(await screen.findByLabelText('New password'), 'a long word of mine')
  expect(screen.queryByText('The console')).toBeNull()
  await userEvent.click(await screen.findByRole('checkbox', { name: /Report robot/ }))
  await userEvent.click(screen.getByRole('button', { name: 'Save and continue' }))
  expect(await screen.findByText('The console')).toBeDefined()
  expect(requests.find(({ method }) => method === 'PUT')?.body).toEqual({
    newPassword: 'a long word of mine',
    withdrawKeys: ['k1'],
    renewSmppCredentials: false,
  })
})

test('a weak password is shown at its field, and the console stays closed', async () => {
  renderGate({
    'PUT /api/user/password': refusal(400, {
      code: 'invalid',
      message: 'Password must be at least 12 characters.',
      fields: { newPassword: 'Password must be at least 12 characters' },
    }),
  })
  await userEvent.type(await screen.findByLabelText('New password'), 'tooshort{Enter}')
  expect(await screen.findByText('Password must be at least 12 characters')).toBeDefined()
  await waitFor(() => expect(screen.queryByText('The console')).toBeNull())
})
