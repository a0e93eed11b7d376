import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { usersRoutes } from '@tollgate/contract/users/users.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { AppShell } from '../shell/AppShell.tsx'
import { refusal } from '../testing/api-stub.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextField } from '../ui/Field.tsx'
import { call } from './call.ts'

const signedOut = () => refusal(401, { code: 'signed_out', message: 'You are not signed in.' })
const readUsers = () => call(usersRoutes.listUsers)
const tabs: BroadcastChannel[] = []

/** Another tab of the same browser. */
function otherTab(): BroadcastChannel {
  const tab = new BroadcastChannel('tollgate-session')
  tabs.push(tab)
  return tab
}

afterEach(() => {
  for (const tab of tabs.splice(0)) tab.close()
  vi.unstubAllGlobals()
})

/** A shell whose session ends, and starts again with a sign-in. */
async function shellWhoseSessionEnds(next = admin) {
  let isSignedIn = false
  const app = renderApp(<AppShell />, {
    answers: {
      'GET /api/users': () => (isSignedIn ? [] : signedOut()),
      'POST /api/login': () => {
        isSignedIn = true
        return next
      },
    },
  })
  await screen.findByRole('button', { name: /your account/i })
  return app
}

async function typePassword() {
  const dialog = await screen.findByRole('dialog', { name: 'Sign in again' })
  expect((screen.getByLabelText('Username') as HTMLInputElement).value).toBe('admin')
  await userEvent.type(screen.getByLabelText('Password'), 'secret1{Enter}')
  return dialog
}

test('an ended session asks over the page, and the call that met it goes on', async () => {
  const { requests } = await shellWhoseSessionEnds()
  const answers = Promise.all([readUsers(), readUsers()])
  await typePassword()
  expect(await answers).toEqual([[], []])
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(requests.filter(({ path }) => path === '/api/users')).toHaveLength(4)
})

test('who does not sign in again leaves the page', async () => {
  await shellWhoseSessionEnds()
  const answer = readUsers().catch((error: unknown) => error)
  await userEvent.click(await screen.findByRole('button', { name: 'Leave this page' }))
  expect(await answer).toMatchObject({ status: 401 })
  await waitFor(() => expect(screen.queryByRole('button', { name: /your account/i })).toBeNull())
})

test('what was typed below the sign-in is not lost by Esc or a click outside, and leaving asks', async () => {
  renderApp(
    <>
      <AppShell />
      <Dialog isOpen onClose={() => undefined} title="Add User" onSubmit={() => undefined} action={<i />}>
        <TextField label="First Name" />
      </Dialog>
    </>,
    { answers: { 'GET /api/users': signedOut } },
  )
  const field = await screen.findByLabelText('First Name')
  await userEvent.type(field, 'Kim')
  const answer = readUsers().catch((error: unknown) => error)
  const again = () => screen.queryByRole('dialog', { name: 'Sign in again' })
  await waitFor(() => expect(again()).not.toBeNull())
  await userEvent.keyboard('{Escape}')
  fireEvent.pointerDown(document.body)
  expect(again()).not.toBeNull()
  expect(within(again()!).queryByRole('button', { name: 'Close' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Leave this page' }))
  expect(screen.getByText('Leave without saving?')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }))
  expect(field).toHaveProperty('value', 'Kim')
  await userEvent.click(screen.getByRole('button', { name: 'Leave this page' }))
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
  expect(await answer).toMatchObject({ status: 401 })
})

test('a sign-in in another tab answers the question in this one', async () => {
  let isSignedIn = false
  renderApp(<AppShell />, { answers: { 'GET /api/users': () => (isSignedIn ? [] : signedOut()) } })
  await screen.findByRole('button', { name: /your account/i })
  const answer = readUsers()
  await screen.findByRole('dialog', { name: 'Sign in again' })
  isSignedIn = true
  otherTab().postMessage({ kind: 'signed-in', userId: admin.id })
  expect(await answer).toEqual([])
})

test('a logout reaches the other tabs', async () => {
  renderApp(<AppShell />)
  await screen.findByRole('button', { name: /your account/i })
  otherTab().postMessage({ kind: 'signed-out' })
  await waitFor(() => expect(screen.queryByRole('button', { name: /your account/i })).toBeNull())
})

test('logging out here reaches the other tabs', async () => {
  const tab = otherTab()
  const received = new Promise<unknown>((settle) => {
    tab.onmessage = ({ data }: MessageEvent) => settle(data)
  })
  renderApp(<AppShell />, { answers: { 'POST /api/logout': {} } })
  await userEvent.click(await screen.findByRole('button', { name: 'Logout' }))
  expect(await received).toEqual({ kind: 'signed-out' })
})

test('a refusal makes the page read the role anew, and follow it', async () => {
  let role = 'admin'
  renderApp(<AppShell />, {
    answers: {
      'GET /api/user': () => ({ ...admin, role }),
      'GET /api/users': () => refusal(403, { code: 'forbidden', message: 'No.' }),
    },
  })
  await screen.findByText('Admin')
  role = 'support'
  await expect(readUsers()).rejects.toMatchObject({ status: 403 })
  expect((await screen.findAllByText('Your role is now Support')).length).toBeGreaterThan(0)
  expect(screen.getByText('Support')).toBeDefined()
})

test('a call without an answer ends with words', async () => {
  vi.useFakeTimers()
  vi.stubGlobal(
    'fetch',
    (_: string, { signal }: RequestInit) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error))
      }),
  )
  const answer = call(usersRoutes.logout).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(String(await answer)).toContain('has not answered for 30 s. It may still do what you asked for')
  vi.useRealTimers()
})
