import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { SecondFactor } from '@tollgate/contract/users/second-factor.ts'
import { refusal, type ApiStubs } from '../../../testing/api-stub.ts'
import { renderApp } from '../../../testing/render.tsx'
import { hasUnsaved } from '../../../ui/unsaved.ts'
import { SecondFactorTab } from './SecondFactorTab.tsx'

const none: SecondFactor = {
  totpSince: null,
  passkeys: [],
  recoveryCodesLeft: 0,
  isRequired: false,
  hasPasskeyAddress: true,
}
const app = { secret: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', uri: 'otpauth://totp/Tollgate:admin?secret=A' }

function open(factors: SecondFactor, answers: ApiStubs = {}) {
  return renderApp(<SecondFactorTab />, { answers: { 'GET /api/user/second-factor': factors, ...answers } })
}

test('setting an app up shows the secret, takes a code, and shows the recovery codes until they are saved', async () => {
  let isRight = false
  const { requests } = open(none, {
    'POST /api/user/second-factor/totp': app,
    'PUT /api/user/second-factor/totp': () =>
      isRight
        ? { recoveryCodes: ['aaaa-bbbb-cccc-dddd'] }
        : refusal(400, { code: 'invalid', message: 'Wrong.', fields: { code: 'Wrong code' } }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Set up' }))
  expect(await screen.findByText('ABCD EFGH IJKL MNOP QRST UVWX YZ23 4567')).toBeDefined()
  await userEvent.type(screen.getByLabelText('Code'), '123456{Enter}')
  expect(await screen.findByText('Wrong code')).toBeDefined()
  isRight = true
  await userEvent.click(screen.getByRole('button', { name: 'Confirm' }))
  expect(await screen.findByText('aaaa-bbbb-cccc-dddd')).toBeDefined()
  expect(requests.findLast(({ method }) => method === 'PUT')?.body).toEqual({ code: '123456' })
  // Leaving asks until they are copied.
  expect(hasUnsaved('page')).toBe(true)
  await userEvent.click(screen.getByRole('button', { name: 'Copy recovery codes' }))
  await waitFor(() => expect(hasUnsaved('page')).toBe(false))
  await userEvent.click(screen.getByRole('button', { name: 'I have saved them' }))
  expect(await screen.findByRole('region', { name: 'Authenticator app' })).toBeDefined()
  expect(screen.queryByText('aaaa-bbbb-cccc-dddd')).toBeNull()
})

test('where the console has no passkeys the button is off and the reason stands there', async () => {
  open(none)
  const passkeys = await screen.findByRole('region', { name: 'Passkeys' })
  const button = within(passkeys).getByRole('button', { name: 'Add a passkey' })
  expect(button.getAttribute('aria-disabled')).toBe('true')
  expect(within(passkeys).getByText(/Passkeys need https|This browser has no passkeys/)).toBeDefined()
})

test('a warning appears when few recovery codes are left', async () => {
  open({ ...none, totpSince: '2026-11-01T00:00:00.000Z', recoveryCodesLeft: 2 })
  expect(await screen.findByText('Few recovery codes are left')).toBeDefined()
  expect(screen.getByText('2 of 10 left. New ones end those you have.')).toBeDefined()
})
