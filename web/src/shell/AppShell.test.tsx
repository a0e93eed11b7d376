import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { defaultChoices } from '@tollgate/contract/users/preferences.ts'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { Hash, Users } from 'lucide-react'
import { expect, test, vi } from 'vitest'
import { refusal, sent, type ApiStubs } from '../testing/api-stub.ts'
import { stubFeed } from '../testing/feed.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { AppShell } from './AppShell.tsx'
import type { ConsolePage } from './console-page.ts'
import { PageFrame } from './PageFrame.tsx'
import { ShellContext } from './shell-context.ts'

const component = lazyComponent(async () => ({ Sample: () => <h1>Sample</h1> }), 'Sample')
const home: ConsolePage = {
  path: '/',
  title: 'Dashboard',
  permission: 'signedIn',
  isOfHolders: true,
  component,
}
const users: ConsolePage = {
  path: '/users',
  title: 'Users Management',
  permission: 'userManagement',
  component,
  loadCount: async () => () => ({ value: 3, tone: 'warn' }),
}

const traffic: ConsolePage = {
  path: '/smpp-traffic',
  title: 'SMPP Traffic',
  permission: 'signedIn',
  needsSmppAccess: true,
  component,
}

function shellAt(url: string, role: Role = 'admin', smppAccess = false, answers: ApiStubs = {}) {
  return renderApp(
    <ShellContext
      value={{
        pages: [home, users, traffic],
        groups: [
          { title: '', rows: [{ page: home, label: 'Dashboard', icon: Hash }] },
          { title: 'Traffic', rows: [{ page: traffic, label: 'SMPP Traffic', icon: Hash }] },
          { title: 'Administration', rows: [{ page: users, label: 'Users Management', icon: Users }] },
        ],
      }}
    >
      <AppShell />
    </ShellContext>,
    { url, user: { ...admin, role, smppAccess }, answers },
  )
}

test('a role sees the entries it may use, and no group without one', async () => {
  shellAt('/', 'user')
  expect(await screen.findByRole('link', { name: 'Dashboard' })).toBeDefined()
  expect(screen.queryByRole('link', { name: /Users Management/ })).toBeNull()
  expect(screen.queryByText('Administration')).toBeNull()
  expect(screen.getByText('User')).toBeDefined()
})

test('who may bind has the page of SMPP traffic, and finds there what was sent by its id', async () => {
  const { unmount } = shellAt('/', 'user')
  expect(await screen.findByRole('link', { name: 'Dashboard' })).toBeDefined()
  expect(screen.queryByRole('link', { name: 'SMPP Traffic' })).toBeNull()
  unmount()
  const { address } = shellAt('/', 'user', true)
  expect(await screen.findByRole('link', { name: 'SMPP Traffic' })).toBeDefined()
  await userEvent.keyboard('{Control>}k{/Control}')
  await userEvent.type(
    await screen.findByRole('combobox', { name: 'Search or jump to' }),
    '01M85Y1SRY0000000000000400{Enter}',
  )
  await waitFor(() => expect(address()).toBe('/smpp-traffic?id=01M85Y1SRY0000000000000400'))
})

test('a supplier that holds no number has its traffic alone in the sidebar', async () => {
  renderApp(
    <ShellContext
      value={{
        pages: [home, traffic],
        groups: [
          {
            title: 'Traffic',
            rows: [
              { page: home, label: 'Dashboard', icon: Hash },
              { page: traffic, label: 'SMPP Traffic', icon: Hash },
            ],
          },
        ],
      }}
    >
      <AppShell />
    </ShellContext>,
    { url: '/smpp-traffic', user: { ...admin, role: 'user', smppAccess: true, isSupplier: true } },
  )
  const entries = within(await screen.findByRole('navigation', { name: 'Main' }))
  expect(entries.getAllByRole('link').map(({ textContent }) => textContent)).toEqual(['SMPP Traffic'])
})

test('the entry of the page you are on is current, also below it and at /dashboard', async () => {
  const { unmount } = shellAt('/users/7')
  const link = await screen.findByRole('link', { name: /Users Management/ })
  expect(link.getAttribute('aria-current')).toBe('page')
  await waitFor(() => expect(link.textContent).toContain('3'))
  expect(screen.getByRole('link', { name: 'Dashboard' }).getAttribute('aria-current')).toBeNull()
  unmount()
  shellAt('/dashboard')
  expect((await screen.findByRole('link', { name: 'Dashboard' })).getAttribute('aria-current')).toBe('page')
})

test('[ folds the sidebar, its entries keep their names, and the choice is kept', async () => {
  const { unmount } = shellAt('/')
  await screen.findByRole('link', { name: 'Dashboard' })
  await userEvent.keyboard('[[')
  expect(screen.queryByText(/Logged in as/)).toBeNull()
  expect(screen.getByRole('link', { name: 'Dashboard' })).toBeDefined()
  unmount()
  shellAt('/')
  await screen.findByRole('link', { name: 'Dashboard' })
  expect(screen.queryByText(/Logged in as/)).toBeNull()
})

test('Ctrl K jumps to a page by the letters of its name', async () => {
  const { address } = shellAt('/')
  await screen.findByRole('link', { name: 'Dashboard' })
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  await userEvent.type(await screen.findByRole('combobox', { name: 'Search or jump to' }), 'usm{Enter}')
  await expect.poll(() => address()).toBe('/users')
})

test('an endpoint is found by its name, and leads to its page', async () => {
  const { address } = shellAt('/', 'admin', false, {
    'GET /api/search': [{ kind: 'endpoint', id: '3', title: 'CRM', detail: 'crm.example', periodId: '' }],
  })
  await screen.findByRole('link', { name: 'Dashboard' })
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  await userEvent.type(await screen.findByRole('combobox', { name: 'Search or jump to' }), 'crm')
  const found = within(await screen.findByRole('group', { name: 'Endpoints' }))
  await userEvent.click(found.getByRole('option', { name: /CRM.*crm\.example/ }))
  await expect.poll(() => address()).toBe('/endpoints/3')
})

test('a search that fails says why, beside what is found without it', async () => {
  shellAt('/', 'admin', false, {
    'GET /api/search': () => refusal(500, { code: 'internal', message: 'Something failed.' }),
  })
  await screen.findByRole('link', { name: 'Dashboard' })
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  const box = await screen.findByRole('combobox', { name: 'Search or jump to' })
  await userEvent.type(box, 'usm')
  expect(await screen.findByText('Failed to search: Something failed.')).toBeDefined()
  expect(screen.getByRole('option', { name: /Users Management/ })).toBeDefined()
  await userEvent.clear(box)
  await waitFor(() => expect(screen.queryByText(/^Failed to search/)).toBeNull())
})

test('? lists the keys', async () => {
  shellAt('/')
  await screen.findByRole('link', { name: 'Dashboard' })
  await userEvent.keyboard('?')
  expect(await screen.findByRole('dialog', { name: 'Keyboard' })).toBeDefined()
})

test("a page that a role lacks shows 'Access Denied' with the specification's sentence", async () => {
  renderApp(<PageFrame page={users} />, { user: { ...admin, role: 'user' } })
  expect(await screen.findByRole('heading', { name: 'Access Denied', level: 1 })).toBeDefined()
  expect(screen.getByText("You don't have permission to access user management.")).toBeDefined()
  expect(screen.queryByText('Sample')).toBeNull()
  expect(document.title).toBe('Access Denied · Tollgate')
})

test('who manages users is not sent to support for SMPP access', async () => {
  const { unmount } = renderApp(<PageFrame page={traffic} />, { user: { ...admin, role: 'user' } })
  expect(await screen.findByText('Your account has no SMPP access. Ask support for it.')).toBeDefined()
  unmount()
  renderApp(<PageFrame page={traffic} />)
  expect(
    await screen.findByText('Your account has no SMPP access. Switch it on in Users Management.'),
  ).toBeDefined()
})

test('a permitted page is drawn under its title', async () => {
  renderApp(<PageFrame page={users} />)
  expect(await screen.findByRole('heading', { name: 'Sample' })).toBeDefined()
  expect(document.title).toBe('Users Management · Tollgate')
})

test('after a sleep the page says since when it is old, and reads everything anew once the server is heard', async () => {
  // Only the wall's clock jumps: the timers stood while the machine slept.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-24T08:00:00Z') })
  const feed = stubFeed()
  const { requests } = shellAt('/')
  await screen.findByRole('link', { name: 'Dashboard' })
  await waitFor(() => expect(requests.map(({ path }) => path)).toContain('/api/user/preferences'))
  feed.open()
  // An answer that was still on its way is word from the server, so the machine sleeps until nothing comes any more.
  const notice = await waitFor(() => {
    vi.setSystemTime(Date.now() + 9 * 3_600_000)
    return screen.getByRole('alert')
  })
  expect(notice.textContent).toMatch(/No answer from the server since .*2026.*\d\d:\d\d/)
  const before = requests.length
  feed.open()
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  await waitFor(() => expect(requests.length).toBeGreaterThan(before))
  vi.useRealTimers()
})

test('what is dismissed before the account is read stays dismissed, and is kept with the account', async () => {
  localStorage.setItem('tollgate.settings-of', '99')
  localStorage.setItem('tollgate.setting.rail', 'true')
  let answer: (preferences: object) => void = () => undefined
  const answered = new Promise((settle) => (answer = settle))
  const { requests } = shellAt('/', 'admin', false, {
    'GET /api/user/preferences': () => answered,
    'PUT /api/user/preferences/screens/factor-advice-dismissed': {},
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Not now' }))
  expect(screen.queryByText('Your account has no second factor')).toBeNull()
  // What somebody else has left in this browser is gone by then.
  expect(localStorage.getItem('tollgate.setting.rail')).toBeNull()
  answer({
    ...defaultChoices,
    screens: { 'factor-advice-dismissed': 'false', rail: 'true' },
    hasMail: true,
  })
  await waitFor(() => expect(localStorage.getItem('tollgate.setting.rail')).toBe('true'))
  expect(screen.queryByText('Your account has no second factor')).toBeNull()
  expect(sent(requests).map(({ path, body }) => [path, body])).toEqual([
    ['/api/user/preferences/screens/factor-advice-dismissed', { value: 'true' }],
  ])
})
