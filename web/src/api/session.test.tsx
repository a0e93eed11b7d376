import { screen, waitFor } from '@testing-library/react'
import { render } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { useSession } from './session.tsx'

function Who() {
  const { user, isLoading, error, may, logOut } = useSession()
  if (isLoading) return 'loading'
  if (error) return `broken ${error.message}`
  return (
    <button onClick={() => void logOut().catch(() => undefined)}>
      {user ? `${user.username} ${String(may('smppControl'))}` : 'nobody'}
    </button>
  )
}

test('a 401 means nobody, and is no error', async () => {
  renderApp(<Who />, { user: null })
  expect(await screen.findByText('nobody')).toBeDefined()
})

test('the permission map decides what a role may do', async () => {
  renderApp(<Who />, { user: { ...admin, role: 'support' } })
  expect(await screen.findByText('admin false')).toBeDefined()
})

test('another failure is not taken for being signed out', async () => {
  renderApp(<Who />, {
    user: null,
    answers: { 'GET /api/user': refusal(503, { code: 'unavailable', message: 'Later' }) },
  })
  expect(await screen.findByText(/^broken 503/)).toBeDefined()
})

test('logging out clears the session even when the call fails', async () => {
  // Stays on screen when nobody is signed in.
  renderApp(<Who />, {
    user: null,
    answers: {
      'GET /api/user': admin,
      'POST /api/logout': refusal(500, { code: 'internal', message: 'No' }),
    },
  })
  const button = await screen.findByText('admin true')
  button.click()
  await waitFor(() => expect(button.textContent).toBe('nobody'))
})

test('outside its provider it raises an error', () => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(() => render(<Who />)).toThrow('useSession must be used within a SessionProvider')
  quiet.mockRestore()
})
