import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { refusal } from '../../testing/api-stub.ts'
import { renderApp } from '../../testing/render.tsx'
import { SignInPage } from './SignInPage.tsx'

const token = 'T'.repeat(43)
const url = `/auth#reset=${token}`
const link = {
  username: 'ada',
  expiresAt: '2026-11-24T12:00:00.000Z',
  isFirst: false,
  passwordLengthMin: 6,
  keys: [],
  hasSmppAccess: true,
}

test('a link leaves the address at once, takes a new password and leads to the sign-in', async () => {
  const { requests, address } = renderApp(<SignInPage />, {
    user: null,
    url,
    answers: {
      'POST /api/password-reset/open': link,
      'POST /api/password-reset/use': { username: 'ada' },
    },
  })
  await userEvent.type(await screen.findByLabelText('New password'), 'a word of my own')
  expect(address()).toBe('/auth')
  await userEvent.click(screen.getByRole('checkbox', { name: /new SMPP password/ }))
  await userEvent.click(screen.getByRole('button', { name: 'Save the password' }))
  const username: HTMLInputElement = await screen.findByLabelText('Username')
  expect(username.value).toBe('ada')
  expect(requests.at(-1)).toMatchObject({
    path: '/api/password-reset/use',
    body: { token, newPassword: 'a word of my own', withdrawKeys: [], renewSmppCredentials: true },
  })
})

test('a link that opens nothing says why, and the way back to the sign-in', async () => {
  const message = 'This link has expired. Ask for a new one.'
  renderApp(<SignInPage />, {
    user: null,
    url,
    answers: { 'POST /api/password-reset/open': refusal(409, { code: 'wrong_state', message }) },
  })
  expect(await screen.findByText(message)).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Back to sign in' }))
  expect(await screen.findByRole('button', { name: 'Sign In' })).toBeDefined()
})

test('a forgotten password: a link is mailed where mail is set up, else the page says whom to ask', async () => {
  const { requests, unmount } = renderApp(<SignInPage />, {
    user: null,
    url: '/auth',
    answers: {
      'GET /api/sign-in-options': { canResetByMail: true },
      'POST /api/password-reset': {},
    },
  })
  await userEvent.type(await screen.findByLabelText('Username'), 'ada')
  await userEvent.click(screen.getByRole('button', { name: 'Forgot password?' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Send the link' }))
  expect(await screen.findByText('Check your mailbox')).toBeDefined()
  expect(requests.at(-1)?.body).toEqual({ account: 'ada' })
  unmount()
  renderApp(<SignInPage />, {
    user: null,
    url: '/auth',
    answers: { 'GET /api/sign-in-options': { canResetByMail: false } },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Forgot password?' }))
  await waitFor(() => expect(screen.getByText('Ask an admin for a link')).toBeDefined())
})
