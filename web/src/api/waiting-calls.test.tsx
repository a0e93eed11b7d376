import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { usersRoutes } from '@tollgate/contract/users/users.ts'
import { expect, test } from 'vitest'
import { AppShell } from '../shell/AppShell.tsx'
import { refusal, stubApi } from '../testing/api-stub.ts'
import { renderApp } from '../testing/render.tsx'
import { call } from './call.ts'

const asks = refusal(403, { code: 'reauthenticate', message: 'Confirm your password to continue.' })
const pair = { systemId: 'client6', password: 'pw', host: 'gate.example', port: 2775 }
const path = '/api/users/1/smpp-credentials'
const show = () => call(usersRoutes.getSmppCredentials, { params: { id: 1 } })

/** A server that returns secrets only after a reauthentication with the password 'right'. */
function shellWithGuard() {
  let isConfirmed = false
  return renderApp(<AppShell />, {
    answers: {
      [`GET ${path}`]: () => (isConfirmed ? pair : asks.clone()),
      'POST /api/user/reauthenticate': ({ body }: { body: unknown }) => {
        isConfirmed = (body as { password: string }).password === 'right'
        return isConfirmed
          ? { ok: true }
          : refusal(400, {
              code: 'invalid',
              message: 'The password is wrong.',
              fields: { password: 'The password is wrong' },
            })
      },
    },
  })
}

test('calls that want the password wait for one question and are then sent again', async () => {
  const { requests } = shellWithGuard()
  await screen.findByRole('button', { name: /your account/i })
  const shown = Promise.all([show(), show()])
  const box = await screen.findByLabelText('Your password')
  await userEvent.type(box, 'wrong{Enter}')
  expect(await screen.findByText('The password is wrong')).toBeDefined()
  await userEvent.clear(box)
  await userEvent.type(box, 'right{Enter}')
  expect(await shown).toEqual([pair, pair])
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(requests.filter((one) => one.path === path)).toHaveLength(4)
})

test('giving up leaves the refusal as it came, and nothing is sent again', async () => {
  const { requests } = shellWithGuard()
  await screen.findByRole('button', { name: /your account/i })
  const shown = show().catch((error: unknown) => error)
  await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }))
  expect(await shown).toMatchObject({ code: 'reauthenticate', status: 403 })
  expect(requests.filter((one) => one.path === path)).toHaveLength(1)
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('the question goes with the call that needed it', async () => {
  shellWithGuard()
  await screen.findByRole('button', { name: /your account/i })
  const abort = new AbortController()
  const shown = call(usersRoutes.getSmppCredentials, { params: { id: 1 } }, abort.signal).catch(
    (error: unknown) => error,
  )
  await screen.findByLabelText('Your password')
  abort.abort()
  expect(await shown).toMatchObject({ code: 'reauthenticate' })
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
})

test('without a screen that could ask, the refusal comes at once', async () => {
  stubApi({ [`GET ${path}`]: asks.clone() })
  await expect(show()).rejects.toMatchObject({ code: 'reauthenticate' })
})
