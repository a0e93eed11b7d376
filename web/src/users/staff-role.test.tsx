import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ClientAccount } from '@tollgate/contract/books/books.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { expect, test } from 'vitest'
import { sent } from '../testing/api-stub.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { UsersPage } from './UsersPage.tsx'

const client: User = {
  ...admin,
  id: 7,
  username: 'client7',
  fullName: 'Omar Haddad',
  role: 'user',
  smppAccess: true,
}
const account: ClientAccount = {
  userId: 7,
  userName: 'client7',
  balance: '1250.00',
  billed: '1250.00',
  days7: '1250.00',
  days14: '0.00',
  days30: '0.00',
  older: '0.00',
  credit: '0.00',
  unbilled: '0.00',
  held: '0.00',
  reserved: '0.000000',
  reserves: [],
  received: '0.00',
  span: { opening: '0.00', added: '1250.00', settled: '0.00', closing: '1250.00' },
}
const open = (shown: () => User = () => client) =>
  renderApp(<UsersPage />, {
    answers: {
      'GET /api/users': ({ query }) => (query.has('approval') ? [] : [admin, shown()]),
      'GET /api/users/summary': { count: 2, active: 2, withSmppAccess: 1 },
      'GET /api/numbers/summary': { count: 12, active: 12, premium: 12 },
      'GET /api/books/accounts/7': account,
      'PUT /api/users/7/role': client,
      'PATCH /api/users/7': client,
      'POST /api/register': client,
    },
  })
const question = (name: string) => screen.findByRole('alertdialog', { name })

async function chooseRole(role: string) {
  await userEvent.click(await screen.findByRole('button', { name: 'Role of client7: user' }))
  await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: role }))
}

test.each([
  ['admin', 'Make client7 an admin?', 'Make admin'],
  ['support', 'Make client7 support?', 'Make support'],
])('making an account %s asks first, with what it holds', async (role, title, label) => {
  const { requests } = open()
  await chooseRole(role)
  const asked = await question(title)
  expect(within(asked).getByText(/changes accounts|may do everything/)).toBeDefined()
  expect(await within(asked).findByText('12')).toBeDefined()
  expect(await within(asked).findByText('1,250.00 USDT')).toBeDefined()
  expect(sent(requests)).toEqual([])
  await userEvent.click(within(asked).getByRole('button', { name: 'Cancel' }))
  expect(sent(requests)).toEqual([])
  await chooseRole(role)
  await userEvent.click(within(await question(title)).getByRole('button', { name: label }))
  await waitFor(() => expect(sent(requests).map(({ body }) => body)).toEqual([{ role }]))
})

test('a role without the rights of staff is set at once', async () => {
  const { requests } = open()
  await chooseRole('test')
  await waitFor(() => expect(sent(requests).map(({ body }) => body)).toEqual([{ role: 'test' }]))
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('Edit User asks before it makes an admin, and only then', async () => {
  const { requests } = open()
  await userEvent.click(await screen.findByRole('button', { name: 'Edit client7' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit User' }))
  await userEvent.selectOptions(dialog.getByLabelText('Role'), 'admin')
  await userEvent.click(dialog.getByRole('button', { name: 'Save Changes' }))
  const asked = within(await question('Make client7 an admin?'))
  expect(sent(requests)).toEqual([])
  await userEvent.click(asked.getByRole('button', { name: 'Make admin' }))
  await waitFor(() => expect(sent(requests).map(({ body }) => body)).toMatchObject([{ role: 'admin' }]))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await userEvent.click(await screen.findByRole('button', { name: 'Edit client7' }))
  const again = within(await screen.findByRole('dialog', { name: 'Edit User' }))
  await userEvent.type(again.getByLabelText('First Name'), 'x')
  await userEvent.click(again.getByRole('button', { name: 'Save Changes' }))
  await waitFor(() => expect(sent(requests)).toHaveLength(2))
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('a role that somebody else took away meanwhile is not asked about, and Save sends what the form has', async () => {
  let shown: User = { ...client, role: 'support' }
  const { requests, refresh } = open(() => shown)
  await userEvent.click(await screen.findByRole('button', { name: 'Edit client7' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit User' }))
  shown = { ...client, version: 2 }
  await refresh()
  await userEvent.click(dialog.getByRole('button', { name: 'Save Changes' }))
  await waitFor(() => expect(sent(requests).map(({ body }) => body)).toMatchObject([{ version: 1 }]))
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('Add User asks before it makes one of staff', async () => {
  const { requests } = open()
  await userEvent.click(await screen.findByRole('button', { name: 'Add User' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add User' }))
  for (const [label, text] of [
    ['First Name', 'Nina'],
    ['Last Name', 'New'],
    ['Username', 'nina'],
    ['Email', 'nina@example.com'],
    ['Password', 'a long password of hers'],
  ] as const)
    await userEvent.type(dialog.getByLabelText(label), text)
  await userEvent.selectOptions(dialog.getByLabelText('Role'), 'support')
  await userEvent.click(dialog.getByRole('button', { name: 'Add User' }))
  const asked = within(await question('Make nina support?'))
  expect(sent(requests)).toEqual([])
  await userEvent.click(asked.getByRole('button', { name: 'Make support' }))
  await waitFor(() => expect(sent(requests).map(({ body }) => body)).toMatchObject([{ role: 'support' }]))
})
