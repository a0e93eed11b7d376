// Every page, in each of its tabs, with a server that answers no call: it says so, and nothing stays a skeleton.
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { pages } from './pages.tsx'
import { PageFrame } from './shell/PageFrame.tsx'
import { admin, renderApp } from './testing/render.tsx'

/** What a person would take for "still loading". */
const waiting = () => document.querySelectorAll('[data-skeleton], [aria-busy="true"]').length
const failures = () => screen.queryAllByRole('alert').length + screen.queryAllByText(/^Failed to /).length

/** Tabs that ask the server for nothing when they open. */
const isQuiet = (tab: string) => ['Check a statement', 'Find a message'].includes(tab)

async function showsItsFailure(where: string) {
  const settled = () => expect(waiting() === 0 && failures() > 0).toBe(true)
  await waitFor(settled, { timeout: 4_000 }).catch(() => undefined)
  expect.soft({ where, waiting: waiting(), hasFailure: failures() > 0 }).toEqual({
    where,
    waiting: 0,
    hasFailure: true,
  })
}

// The pages of single objects need an object and have tests of their own.
const withoutParameters = pages.filter(({ path }) => !path.includes('$'))

test.each(withoutParameters.map((page) => [page.path, page] as const))(
  '%s shows its failure in every tab when no call is answered',
  async (path, page) => {
    renderApp(<PageFrame page={page} />, { url: path, user: { ...admin, smppAccess: true } })
    await screen.findByRole('heading', { level: 1 })
    const names = screen.queryAllByRole('tab').map((tab) => tab.textContent ?? '')
    if (names.length === 0) await showsItsFailure(path)
    for (const [index, name] of names.entries()) {
      await userEvent.click(screen.getAllByRole('tab')[index]!)
      if (isQuiet(name)) continue
      await showsItsFailure(`${path}, ${name}`)
    }
  },
  60_000,
)
