import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState, type ReactNode } from 'react'
import { expect, test } from 'vitest'
import { t } from '../language/t.ts'
import { refusal, type ApiRequest } from '../testing/api-stub.ts'
import { plainText, readHebrew } from '../testing/hebrew.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { pressUndo } from '../testing/toasts.ts'
import { UsersPage } from './UsersPage.tsx'

const client = { ...admin, id: 7, username: 'client7', fullName: 'Omar Haddad', role: 'user' as const }
const summary = { count: 2, active: 2, withSmppAccess: 0 }
const lists = {
  'GET /api/users': ({ query }: ApiRequest) => (query.has('approval') ? [] : [admin, client]),
  'GET /api/users/summary': summary,
}

async function chooseAction(name: string) {
  await userEvent.click(await screen.findByRole('button', { name: 'More actions for client7' }))
  await userEvent.click(await screen.findByRole('menuitem', { name }))
}

test('setting the status of all leaves out the own account', async () => {
  const { requests } = renderApp(<UsersPage />, {
    answers: { ...lists, 'PUT /api/users/status': { changed: 1, changeId: '3' } },
  })
  await screen.findByText('Omar Haddad')
  await userEvent.click(screen.getAllByRole('checkbox')[0]!)
  await userEvent.click(screen.getByRole('button', { name: 'Set status' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Suspended' }))
  expect(
    await screen.findByText('User status updated successfully. Your own account stays as it is.'),
  ).toBeDefined()
  const calls = requests.filter((one) => one.method === 'PUT')
  expect(calls.map(({ path, body }) => [path, body])).toEqual([
    ['/api/users/status', { ids: [7], status: 'suspended' }],
  ])
})

/** A page with a link away from it. */
function Leaving({ children }: { readonly children: ReactNode }) {
  const [isLeft, setLeft] = useState(false)
  if (isLeft) return <p>Elsewhere</p>
  return (
    <>
      <button onClick={() => setLeft(true)}>Leave</button>
      {children}
    </>
  )
}

test('a status that is set after the page was left is told, and can be undone', async () => {
  const waiting: ((answer: object) => void)[] = []
  const { requests } = renderApp(
    <Leaving>
      <UsersPage />
    </Leaving>,
    {
      answers: {
        ...lists,
        'PUT /api/users/status': () => new Promise<object>((resolve) => waiting.push(resolve)),
        'POST /api/user-changes/3/undo': { restoredCount: 1, leftCount: 0 },
      },
    },
  )
  await userEvent.click(await screen.findByLabelText('Select client7'))
  await userEvent.click(screen.getByRole('button', { name: 'Set status' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Suspended' }))
  await userEvent.click(screen.getByRole('button', { name: 'Leave' }))
  await screen.findByText('Elsewhere')
  waiting[0]?.({ changed: 1, changeId: '3' })
  await screen.findByText('User status updated successfully')
  await pressUndo()
  expect(await screen.findByText('Change undone')).toBeDefined()
  expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test('when all that is chosen is left out, it says why', async () => {
  const { requests } = renderApp(<UsersPage />, { answers: lists })
  await userEvent.click(await screen.findByLabelText('Select client7'))
  await userEvent.click(screen.getByRole('button', { name: 'Set status' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Active' }))
  expect(await screen.findByText('Nothing was changed')).toBeDefined()
  expect(screen.getByText('1 had the status already.')).toBeDefined()
  expect(requests.some(({ method }) => method === 'PUT')).toBe(false)
})

test('queues that cannot be fetched say so, instead of looking empty', async () => {
  const fails = () => refusal(500, { code: 'internal', message: 'Something failed.' })
  renderApp(<UsersPage />, {
    answers: {
      ...lists,
      'GET /api/users': ({ query }: ApiRequest) => (query.has('approval') ? fails() : [admin, client]),
      'GET /api/users/second-factor-resets': fails,
    },
  })
  expect(await screen.findByText('Failed to fetch the accounts that wait for approval')).toBeDefined()
  expect(await screen.findByText('Failed to fetch the requests to remove a second factor')).toBeDefined()
  expect(await screen.findByText('Omar Haddad')).toBeDefined()
})

test('people who signed up wait in a queue above the list, and are approved or refused there', async () => {
  let waiting = [
    { ...client, id: 8, username: 'nina', fullName: 'Nina New', status: 'inactive', awaitsApproval: true },
    { ...client, id: 9, username: 'otto', fullName: 'Otto New', status: 'inactive', awaitsApproval: true },
  ]
  const decide = (id: number) => () => {
    const person = waiting.find((one) => one.id === id)
    waiting = waiting.filter((one) => one.id !== id)
    return { ...person, awaitsApproval: false }
  }
  const { requests } = renderApp(<UsersPage />, {
    answers: {
      ...lists,
      'GET /api/users': ({ query }: ApiRequest) => (query.has('approval') ? waiting : [...waiting, client]),
      'PUT /api/users/8/status': decide(8),
      'PUT /api/users/9/status': decide(9),
    },
  })
  expect(await screen.findByRole('button', { name: 'Status of nina: Waiting' })).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Approve nina' }))
  expect(await screen.findByText('nina may sign in now')).toBeDefined()
  await expect.poll(() => screen.queryByRole('button', { name: 'Approve nina' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Refuse otto' }))
  await expect.poll(() => screen.queryByText('New accounts wait for approval')).toBeNull()
  expect(requests.filter(({ method }) => method === 'PUT').map(({ path, body }) => [path, body])).toEqual([
    ['/api/users/8/status', { status: 'active' }],
    ['/api/users/9/status', { status: 'suspended' }],
  ])
})

test('a switch that the server refuses goes back', async () => {
  renderApp(<UsersPage />, {
    answers: {
      ...lists,
      'PUT /api/users/7/smpp-access': () => refusal(409, { code: 'wrong_state', message: 'Not now.' }),
    },
  })
  const access = await screen.findByRole('switch', { name: 'SMPP access of client7' })
  await userEvent.click(access)
  await expect.poll(() => (access as HTMLInputElement).checked).toBe(false)
  expect((await screen.findAllByText('Not now.')).length).toBeGreaterThan(0)
})

test('who is added without a password gets a link, which stays on screen until it was copied', async () => {
  const { requests } = renderApp(<UsersPage />, {
    answers: {
      ...lists,
      'POST /api/register': {
        ...client,
        id: 12,
        username: 'clara',
        invitation: { path: '/auth#reset=token', expiresAt: '2026-12-06T12:00:00.000Z', isMailed: false },
      },
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Add User' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add User' }))
  await userEvent.type(dialog.getByLabelText('First Name'), 'Clara')
  await userEvent.type(dialog.getByLabelText('Last Name'), 'Client')
  await userEvent.type(dialog.getByLabelText('Username'), 'clara')
  await userEvent.type(dialog.getByLabelText('Email'), 'clara@example.com')
  expect(within(dialog.getByLabelText('Role')).getByText('user: a client or a supplier')).toBeDefined()
  await userEvent.click(dialog.getByRole('button', { name: 'Add User' }))
  const made = within(await screen.findByRole('dialog', { name: 'Hand over the account' }))
  expect(made.getByText(/\/auth#reset=token$/)).toBeDefined()
  expect(requests.find(({ method }) => method === 'POST')?.body).toMatchObject({
    username: 'clara',
    password: '',
  })
  await userEvent.click(made.getAllByRole('button', { name: 'Close' })[0]!)
  expect(await screen.findByText('Not copied yet. It is not shown again.')).toBeDefined()
})

test('support sees no way to change an admin', async () => {
  renderApp(<UsersPage />, { user: { ...admin, id: 3, role: 'support' }, answers: lists })
  await screen.findByText('Omar Haddad')
  expect(screen.queryByRole('button', { name: 'Edit admin' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Edit client7' })).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Add User' }))
  expect(within(await screen.findByRole('dialog')).queryByLabelText('Role')).toBeNull()
})

const status = {
  server: { running: true, port: 2775, connections: 0, startedAt: null, hasTls: false },
  cdr: { records: 0, numbers: 0, assigned: 0, acceptP50Ms: null, acceptP99Ms: null, messagesPerSecond: 0 },
  outbound: { failing: false, connections: [] },
}

const profile = {
  systemId: 'client7',
  allowedCidrs: ['192.0.2.0/24', '2001:db8::/32'],
  throughput: 0,
  tlsOnly: false,
  window: 50,
  deliveryWindow: 50,
  defaultAlphabet: 'gsm7',
  isStrict: true,
  enquireLinkSeconds: 30,
  inactivitySeconds: 300,
  messageIdForm: 'text',
  interfaceVersion: 'peer',
  version: 4,
}

test('the SMPP profile shows one network on each line and sends them as a list', async () => {
  const { requests } = renderApp(<UsersPage />, {
    answers: {
      ...lists,
      'GET /api/smpp/status': { ...status, server: { ...status.server, hasTls: true } },
      'GET /api/users/7/smpp-profile': profile,
      'PUT /api/users/7/smpp-profile': { ...profile, version: 5 },
    },
  })
  await chooseAction('SMPP profile')
  const dialog = within(await screen.findByRole('dialog', { name: 'SMPP profile' }))
  const networks = (await dialog.findByLabelText('Allowed Networks')) as HTMLTextAreaElement
  expect(networks.value).toBe('192.0.2.0/24\n2001:db8::/32')
  await userEvent.clear(networks)
  await userEvent.type(networks, '192.0.2.0/33')
  await userEvent.click(dialog.getByRole('button', { name: 'Save Changes' }))
  expect(await dialog.findByText(/192\.0\.2\.0\/33.* is no network/)).toBeDefined()
  expect(requests.some(({ method }) => method === 'PUT')).toBe(false)
  await userEvent.clear(networks)
  await userEvent.type(networks, '198.51.100.0/24, 203.0.113.7')
  await userEvent.click(dialog.getByRole('switch', { name: 'TLS only' }))
  await userEvent.selectOptions(dialog.getByLabelText('Alphabet of Coding 0'), 'Latin-1')
  await userEvent.selectOptions(dialog.getByLabelText('Message ID Form'), 'Hexadecimal number')
  await userEvent.selectOptions(dialog.getByLabelText('Interface Version'), 'Always 3.3')
  expect(await dialog.findByText(/8 characters under SMPP 3.3/)).toBeDefined()
  await userEvent.click(dialog.getByRole('button', { name: 'Save Changes' }))
  await expect
    .poll(() => requests.find(({ method }) => method === 'PUT')?.body)
    .toEqual({
      ...profile,
      allowedCidrs: ['198.51.100.0/24', '203.0.113.7'],
      tlsOnly: true,
      defaultAlphabet: 'latin1',
      messageIdForm: 'hex',
      interfaceVersion: '3.3',
    })
})

test('TLS only warns on a gateway without a TLS port', async () => {
  renderApp(<UsersPage />, {
    answers: { ...lists, 'GET /api/smpp/status': status, 'GET /api/users/7/smpp-profile': profile },
  })
  await chooseAction('SMPP profile')
  const dialog = within(await screen.findByRole('dialog', { name: 'SMPP profile' }))
  await dialog.findByLabelText('Allowed Networks')
  expect(dialog.queryByText('This gateway has no TLS port')).toBeNull()
  await userEvent.click(dialog.getByRole('switch', { name: 'TLS only' }))
  expect(await dialog.findByText('This gateway has no TLS port')).toBeDefined()
})

test('Edit is a button, the other actions are in a menu that the keyboard opens', async () => {
  const withFactor = { ...client, smppAccess: true, hasSecondFactor: true }
  renderApp(<UsersPage />, { answers: { ...lists, 'GET /api/users': [admin, withFactor] } })
  expect(await screen.findByRole('button', { name: 'Edit client7' })).toBeDefined()
  screen.getByRole('button', { name: 'More actions for client7' }).focus()
  await userEvent.keyboard('{Enter}')
  const items = await screen.findAllByRole('menuitem')
  expect(items.map(({ textContent }) => textContent)).toEqual([
    'SMPP credentials',
    'SMPP profile',
    'Webhooks',
    'Sessions',
    'Password reset',
    'Remove second factor',
  ])
  await userEvent.keyboard('{Escape}')
  await userEvent.click(screen.getByRole('button', { name: 'More actions for admin' }))
  expect(await screen.findAllByRole('menuitem')).toHaveLength(3)
})

test('what is no network is said in the language of the reader', async () => {
  await readHebrew()
  renderApp(<UsersPage />, {
    answers: { ...lists, 'GET /api/smpp/status': status, 'GET /api/users/7/smpp-profile': profile },
  })
  await userEvent.click(
    await screen.findByRole('button', {
      name: t('More actions for {username}', { username: 'client7' }),
    }),
  )
  await userEvent.click(await screen.findByRole('menuitem', { name: t('SMPP profile') }))
  const dialog = within(await screen.findByRole('dialog'))
  const networks = await dialog.findByLabelText(t('Allowed Networks'))
  await userEvent.clear(networks)
  await userEvent.type(networks, '192.0.2.0/33')
  await userEvent.click(dialog.getByRole('button', { name: t('Save Changes') }))
  expect(plainText(await dialog.findByText(/אינה רשת/))).toContain('״192.0.2.0/33״ אינה רשת')
})
