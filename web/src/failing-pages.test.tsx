// Every page, in each of its tabs, with a server that answers no call: it says so, and nothing stays a skeleton.
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { User } from '@tollgate/contract/users/users.ts'
import { RowAct } from './numbers/number/NumberActs.tsx'
import { pages } from './pages.tsx'
import { objectPath, objectPaths, type ObjectKind } from './paths.ts'
import type { ConsolePage } from './shell/console-page.ts'
import { PageFrame } from './shell/PageFrame.tsx'
import { refusal, type ApiStubs } from './testing/api-stub.ts'
import { failingLink } from './testing/connections.ts'
import { paidBill } from './testing/money.ts'
import { someEndpoint, someNumber, someProvider, someRange } from './testing/objects.ts'
import { admin, renderApp } from './testing/render.tsx'

/** What a person would take for "still loading". */
const waiting = () => document.querySelectorAll('[data-skeleton], [aria-busy="true"]').length
const failures = () => screen.queryAllByRole('alert').length + screen.queryAllByText(/^Failed to /).length

/** Tabs that ask the server for nothing when they open. */
const isQuiet = (tab: string) => tab === 'Check a statement'

async function showsItsFailure(where: string) {
  const settled = () => expect(waiting() === 0 && failures() > 0).toBe(true)
  await waitFor(settled, { timeout: 4_000 }).catch(() => undefined)
  expect.soft({ where, waiting: waiting(), hasFailure: failures() > 0 }).toEqual({
    where,
    waiting: 0,
    hasFailure: true,
  })
}

/** Opens each tab of a page that is on screen. */
async function everyTabShowsItsFailure(where: string, isFailure: (tab: string) => boolean = () => true) {
  await screen.findByRole('heading', { level: 1 })
  const names = screen.queryAllByRole('tab').map((tab) => tab.textContent ?? '')
  if (names.length === 0) await showsItsFailure(where)
  for (const [index, name] of names.entries()) {
    await userEvent.click(screen.getAllByRole('tab')[index]!)
    if (!isQuiet(name) && isFailure(name)) await showsItsFailure(`${where}, ${name}`)
  }
}

const user = { ...admin, smppAccess: true }
const isOfObject = ({ path }: ConsolePage) => path.includes('$')

test.each(pages.filter((page) => !isOfObject(page)).map((page) => [page.path, page] as const))(
  '%s shows its failure in every tab when no call is answered',
  async (path, page) => {
    renderApp(<PageFrame page={page} />, { url: path, user })
    await everyTabShowsItsFailure(path)
  },
  240_000,
)

const supplier: User = { ...admin, id: 3, username: 'supplier1', role: 'user', smppAccess: true }
const objects: Record<ObjectKind, { id: string; answers: ApiStubs }> = {
  person: { id: '3', answers: { 'GET /api/users/3': supplier } },
  number: { id: someNumber.id, answers: { [`GET /api/numbers/${someNumber.id}`]: someNumber } },
  range: { id: someRange.id, answers: { [`GET /api/ranges/${someRange.id}`]: someRange } },
  connection: { id: failingLink.id, answers: { 'GET /api/smpp-connections': [failingLink] } },
  provider: { id: someProvider.id, answers: { 'GET /api/providers': [someProvider] } },
  endpoint: { id: someEndpoint.id, answers: { 'GET /api/endpoints': [someEndpoint] } },
  bill: { id: paidBill.id, answers: { [`GET /api/billing/periods/${paidBill.id}`]: paidBill } },
}

// What the object itself holds: its bill, its settings, its holders.
const isOfItself = (tab: string) => ['Overview', 'Settings'].includes(tab)

test.each(pages.filter(isOfObject).map((page) => [page.path, page] as const))(
  '%s shows its failure, and that of every tab when only the object is read',
  async (path, page) => {
    const kind = (Object.keys(objects) as ObjectKind[]).find((each) => objectPaths[each] === path)!
    const { id, answers } = objects[kind]
    const url = objectPath(kind, id)
    const unanswered = renderApp(<PageFrame page={page} />, { url, path, user })
    await showsItsFailure(path)
    unanswered.unmount()
    renderApp(<PageFrame page={page} />, { url, path, user, answers })
    await everyTabShowsItsFailure(path, (tab) => !isOfItself(tab))
  },
  240_000,
)

test('an act on a number that cannot be read says so, and opens once it is read', async () => {
  let isBack = false
  renderApp(<RowAct act={{ act: 'delete', id: someNumber.id }} onClose={() => undefined} />, {
    user,
    answers: {
      [`GET /api/numbers/${someNumber.id}`]: () =>
        isBack ? someNumber : refusal(503, { code: 'unavailable', message: 'The database does not answer.' }),
    },
  })
  const again = await screen.findByRole('button', { name: 'Try again' }, { timeout: 15_000 })
  isBack = true
  await userEvent.click(again)
  expect(await screen.findByRole('button', { name: 'Delete' })).toBeDefined()
})
