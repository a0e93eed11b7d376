import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { refusal } from '../../testing/api-stub.ts'
import { admin, renderApp } from '../../testing/render.tsx'
import { safeNextPath, SignInPage } from './SignInPage.tsx'

async function signIn(password: string) {
  await userEvent.type(await screen.findByLabelText('Username'), 'admin')
  await userEvent.type(screen.getByLabelText('Password'), `${password}{Enter}`)
}

test('signing in goes to the requested page', async () => {
  const { requests, address } = renderApp(<SignInPage />, {
    user: null,
    url: '/auth?next=%2Fusers%3Frole%3Dadmin',
    answers: { 'POST /api/login': admin },
  })
  await signIn('secret1')
  await waitFor(() => expect(address()).toBe('/users?role=admin'))
  expect(requests.find((call) => call.path === '/api/login')?.body).toEqual({
    username: 'admin',
    password: 'secret1',
  })
})

test('a refused sign-in says so in a toast and on the page, and leaves what was typed', async () => {
  renderApp(<SignInPage />, {
    user: null,
    url: '/auth',
    answers: {
      'POST /api/login': refusal(401, {
        code: 'wrong_credentials',
        message: 'Username or password is wrong.',
      }),
    },
  })
  await signIn('wrong')
  expect(await screen.findAllByText('Login failed')).toHaveLength(2)
  // Below the form: it does not move what is about to be pressed again.
  const forgot = screen.getByRole('button', { name: 'Forgot password?' })
  const order = forgot.compareDocumentPosition(screen.getByRole('note'))
  expect(order & Node.DOCUMENT_POSITION_FOLLOWING).not.toBe(0)
  expect((screen.getByLabelText('Username') as HTMLInputElement).value).toBe('admin')
})

test('while the answer is on its way the button says Signing in...', async () => {
  let answer: (user: unknown) => void = () => {}
  const waiting = new Promise((resolve) => {
    answer = resolve
  })
  renderApp(<SignInPage />, { user: null, url: '/auth', answers: { 'POST /api/login': () => waiting } })
  await signIn('secret1')
  const button = screen.getByText('Signing in...').closest('button')
  expect(button?.getAttribute('aria-busy')).toBe('true')
  answer(admin)
  await waitFor(() => expect(button?.getAttribute('aria-busy')).toBeNull())
})

test('empty fields are shown at the fields and nothing is sent', async () => {
  const { requests } = renderApp(<SignInPage />, { user: null, url: '/auth' })
  await userEvent.click(await screen.findByRole('button', { name: 'Sign In' }))
  expect(await screen.findByText('Enter your username')).toBeDefined()
  expect(document.activeElement).toBe(screen.getByLabelText('Username'))
  expect(requests.map((call) => call.path)).toEqual(['/api/user'])
})

test("registration checks in the specification's words and shows the server's faults at the fields", async () => {
  const { requests } = renderApp(<SignInPage />, {
    user: null,
    url: '/auth',
    answers: {
      'POST /api/register': refusal(409, {
        code: 'taken',
        message: 'That username is taken.',
        fields: { username: 'Choose another username' },
      }),
    },
  })
  await userEvent.click(await screen.findByRole('tab', { name: 'Register' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Register' }))
  expect(await screen.findByText('First name is required')).toBeDefined()
  expect(screen.getByText('Password must be at least 6 characters')).toBeDefined()
  expect(screen.getByText('Invalid email address')).toBeDefined()
  for (const [label, value] of Object.entries(newcomer))
    await userEvent.type(screen.getByLabelText(label), value)
  await userEvent.click(screen.getByRole('button', { name: 'Register' }))
  expect(await screen.findByText('Choose another username')).toBeDefined()
  expect(requests.at(-1)?.body).toEqual({
    firstName: 'Ada',
    lastName: 'Min',
    email: 'ada@example.com',
    username: 'ada',
    password: 'longenough',
  })
})

const newcomer = {
  'First Name': 'Ada',
  'Last Name': 'Min',
  Email: 'ada@example.com',
  Username: 'ada',
  Password: 'longenough',
}

test('a sign-up that was begun is dropped for the sign-in, or for another page, only after a question', async () => {
  const { address } = renderApp(<SignInPage />, {
    user: null,
    url: '/auth',
    answers: { 'POST /api/register': admin },
  })
  const choose = (name: string) => userEvent.click(screen.getByRole('tab', { name }))
  const answer = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
  await screen.findByLabelText('Username')
  await choose('Register')
  await userEvent.type(await screen.findByLabelText('First Name'), 'Ada')
  await choose('Sign In')
  await screen.findByRole('alertdialog', { name: 'Leave without saving?' })
  await answer('Stay')
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(document.activeElement).toBe(screen.getByRole('tab', { name: 'Register' }))
  expect((screen.getByLabelText('First Name') as HTMLInputElement).value).toBe('Ada')
  await choose('Sign In')
  await answer('Discard')
  await choose('Register')
  expect(((await screen.findByLabelText('First Name')) as HTMLInputElement).value).toBe('')
  // What was sent is not lost, so it goes on without a question.
  for (const [label, value] of Object.entries(newcomer))
    await userEvent.type(screen.getByLabelText(label), value)
  await answer('Register')
  await waitFor(() => expect(address()).toBe('/'))
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('where staff approve accounts, that is said before anything is typed, and what the new account waits for', async () => {
  const { address } = renderApp(<SignInPage />, {
    user: null,
    url: '/auth',
    answers: {
      'GET /api/registration': { mode: 'approval' },
      'POST /api/register': { ...admin, username: 'ada', status: 'inactive', awaitsApproval: true },
    },
  })
  await userEvent.click(await screen.findByRole('tab', { name: 'Register' }))
  expect(await screen.findByText('Each account is approved first')).toBeDefined()
  for (const [label, value] of Object.entries(newcomer))
    await userEvent.type(screen.getByLabelText(label), value)
  await userEvent.click(screen.getByRole('button', { name: 'Register' }))
  expect(await screen.findByText('Your account waits for approval')).toBeDefined()
  expect(address()).toBe('/auth?tab=register')
})

test('where sign-up is closed there is no form to fill', async () => {
  renderApp(<SignInPage />, {
    user: null,
    url: '/auth',
    answers: { 'GET /api/registration': { mode: 'closed' } },
  })
  await userEvent.click(await screen.findByRole('tab', { name: 'Register' }))
  expect(await screen.findByText('Sign-up is closed')).toBeDefined()
  expect(screen.queryByLabelText('Email')).toBeNull()
})

test.each([
  ['/users', '/users'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example', '/'],
  ['/auth?next=/auth', '/'],
  [undefined, '/'],
])('after signing in, %s leads to %s', (next, place) => expect(safeNextPath(next)).toBe(place))
