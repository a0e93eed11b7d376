import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { objectPaths } from '../paths.ts'
import { someEndpoint as endpoint } from '../testing/objects.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { EndpointPage } from './EndpointPage.tsx'

const show = (over: object = {}, user = admin, query = '') =>
  renderApp(<EndpointPage />, {
    url: `/endpoints/3${query}`,
    path: objectPaths.endpoint,
    user,
    answers: { 'GET /api/endpoints': [endpoint], 'GET /api/endpoints/3/deliveries': [], ...over },
  })
const failing = {
  ...endpoint,
  failingSince: '2026-11-19T13:00:00.000Z',
  stateSince: '2026-11-19T13:00:00.000Z',
  successRate: 0,
}
const switchedOff = {
  ...failing,
  status: 'inactive',
  statusReason: 'The address answered 410: it is gone.',
  stateSince: '2026-11-19T13:30:00.000Z',
}

test.each([
  ['that accepts nothing', failing, 'Has accepted nothing since 19/11/2026 13:00:00', '13:00:00'],
  ['that was switched off', switchedOff, 'The address answered 410: it is gone.', '13:30:00'],
])(
  'the page of an endpoint %s says since when and why; its first button cures it',
  async (_, row, why, since) => {
    const user = userEvent.setup()
    show({ 'GET /api/endpoints': [row] })
    expect(await screen.findByText(why)).toBeTruthy()
    expect(screen.getByText('Since').nextElementSibling?.textContent).toBe(`19/11/2026 ${since}`)
    const [cure] = within(screen.getByRole('tabpanel')).getAllByRole('button')
    expect(cure!.textContent).toBe('Edit address')
    await user.click(cure!)
    expect(await screen.findByRole('dialog', { name: 'Edit CRM' })).toBeTruthy()
  },
)

test('a failing one says what it answered last', async () => {
  const delivery = {
    id: '9',
    webhookId: 'msg_9',
    type: 'record.created',
    recordId: '',
    subject: '',
    status: 'pending',
    attempts: 1,
    lastAttempt: endpoint.createdAt,
    nextAttempt: null,
    responseStatus: 503,
    error: 'The address answered 503.',
    createdAt: endpoint.createdAt,
  }
  show({ 'GET /api/endpoints': [failing], 'GET /api/endpoints/3/deliveries': [delivery] })
  expect(await screen.findByText(/^Last answer: .*The address answered 503\./)).toBeTruthy()
})

test('one that is well has no cure; deleted, it leads back to its list', async () => {
  const user = userEvent.setup()
  let rows = [endpoint]
  const { address } = show({
    'GET /api/endpoints': () => rows,
    'DELETE /api/endpoints/3': () => {
      rows = []
      return {}
    },
  })
  await user.click(await screen.findByRole('button', { name: 'Delete' }))
  expect(screen.queryByRole('button', { name: 'Edit address' })).toBeNull()
  expect(screen.getByText('Since').nextElementSibling?.textContent).toBe('19/11/2026 14:00:00')
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(address()).toBe('/interconnection-api?tab=endpoints'))
})

test('a client has its own at the same address, by its own calls, in one page without tabs', async () => {
  const { requests } = show(
    { 'GET /api/user/endpoints': [endpoint], 'GET /api/user/endpoints/3/deliveries': [] },
    { ...admin, role: 'user' },
    '?delivery=failed',
  )
  expect(await screen.findByText('No delivery is in this state.')).toBeTruthy()
  expect(screen.getAllByRole('link', { name: 'Webhooks' })[0]!.getAttribute('href')).toBe('/webhooks')
  expect(screen.queryByRole('tab')).toBeNull()
  expect(screen.queryByText('Records of')).toBeNull()
  expect(requests.some(({ path }) => path.startsWith('/api/endpoints'))).toBe(false)
  expect(requests.find(({ path }) => path.endsWith('/deliveries'))?.query.get('status')).toBe('failed')
})

test('somebody else’s endpoint is as one that does not exist', async () => {
  show({ 'GET /api/user/endpoints': [] }, { ...admin, role: 'user' })
  expect(await screen.findByText('There is no such endpoint')).toBeTruthy()
})

test('a new signing secret is not lost by Esc before it was copied', async () => {
  const user = userEvent.setup()
  show({ 'POST /api/endpoints/3/rotate-secret': { ...endpoint, apiKey: 'whsec_only-once' } })
  await user.click(await screen.findByRole('button', { name: 'Renew secret' }))
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Renew secret' }))
  const secret = await screen.findByText('whsec_only-once')
  await user.keyboard('{Escape}')
  expect(screen.getByText('Not copied yet. It is not shown again.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Stay' }))
  await user.click(within(secret).getByRole('button', { name: 'Copy Signing secret' }))
  expect((await screen.findAllByText('Signing secret copied successfully')).length).toBeGreaterThan(0)
  const dialog = within(screen.getByRole('dialog', { name: 'Signing secret' }))
  await user.click(dialog.getAllByRole('button', { name: 'Close' })[0]!)
  await waitFor(() => expect(screen.queryByText('whsec_only-once')).toBeNull())
})

test.each([
  [0, 'No delivery has failed.'],
  [1, '1 delivery that failed is made again.'],
  [1_234, '1,234 deliveries that failed are made again.'],
])('replaying what failed says how many: %i', async (count, text) => {
  show({ 'POST /api/endpoints/3/replay': { count } })
  await userEvent.click(await screen.findByRole('button', { name: 'Replay what failed' }))
  expect((await screen.findAllByText(text)).length).toBeGreaterThan(0)
})
