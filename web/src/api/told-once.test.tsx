// A refusal is told in one place: where it stands while that is on screen, else by a toast.
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { UsersPage } from '../users/UsersPage.tsx'

const title = 'Failed to add user'

/** Sends Add User with a refusal that comes when it is let go. */
async function refusedAdd(answer: Response) {
  let letGo = () => {}
  const held = new Promise<Response>((resolve) => {
    letGo = () => resolve(answer)
  })
  renderApp(<UsersPage />, {
    answers: {
      'GET /api/users': ({ query }) => (query.has('approval') ? [] : [admin]),
      'GET /api/users/summary': { count: 1, active: 1, withSmppAccess: 0 },
      'POST /api/register': () => held,
    },
  })
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
  await userEvent.click(dialog.getByRole('button', { name: 'Add User' }))
  return { dialog, letGo }
}

const textsOf = (text: string) => screen.queryAllByText(text, { ignore: false })

test('what a refusal says of a field stands at the field alone, below the title of what failed', async () => {
  const taken = 'This username is taken'
  const { dialog, letGo } = await refusedAdd(
    refusal(409, { code: 'taken', message: taken, fields: { username: taken } }),
  )
  letGo()
  await waitFor(() => expect(dialog.getByLabelText('Username').getAttribute('aria-invalid')).toBe('true'))
  expect(textsOf(taken)).toHaveLength(1)
  expect(textsOf(title)).toHaveLength(1)
})

test('what a refusal says beyond its fields stands above them', async () => {
  const message = '+449098790142 is already in the list. Edit that entry instead.'
  const fields = { username: 'Used already' }
  const { dialog, letGo } = await refusedAdd(refusal(409, { code: 'taken', message, fields }))
  letGo()
  expect(await dialog.findByText(message)).toBeDefined()
  expect(dialog.getByText('Used already')).toBeDefined()
  expect(textsOf(message)).toHaveLength(1)
})

test('what concerns no field stands above them, and in no toast', async () => {
  const message = 'The database is away.'
  const { dialog, letGo } = await refusedAdd(refusal(503, { code: 'unavailable', message }))
  letGo()
  expect(await dialog.findByText(title)).toBeDefined()
  expect(textsOf(message)).toHaveLength(1)
  expect(textsOf(title)).toHaveLength(1)
})

test('a refusal that comes after its dialog was closed is told by a toast', async () => {
  const message = 'The database is away.'
  const { dialog, letGo } = await refusedAdd(refusal(503, { code: 'unavailable', message }))
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Discard' }))
  letGo()
  expect((await screen.findAllByText(message)).length).toBeGreaterThan(0)
  expect(screen.queryByRole('dialog')).toBeNull()
})
