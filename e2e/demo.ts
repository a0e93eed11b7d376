// The demo as a fixture: a gateway with people, bills, links and alerts, so that pages are full.
import { expect, type Page } from '@playwright/test'
import { copyDatabase, launch, test as base } from './harness.ts'

interface DemoGateway {
  readonly url: string
  /** Signs the browser of a page in as one of the demo's people, and opens `path`. */
  signIn(page: Page, username: string, path?: string): Promise<void>
}

/** `test` with a demo that several files share. So each test leaves it as it was. */
export const test = base.extend<object, { demo: DemoGateway; demoName: string }>({
  // A file that gives another name gets a demo of its own, because Playwright starts another worker for it.
  demoName: ['shared', { scope: 'worker', option: true }],
  demo: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads from the pattern that no other fixture is needed
    async ({}, use) => {
      const gateway = await launch(await copyDatabase(), 'demo')
      await use({
        url: gateway.url,
        async signIn(page, username, path = '/') {
          const password = new RegExp(`^ {2}${username} +(\\S+)`, 'm').exec(gateway.output())?.[1]
          const answer = await page.request.post(`${gateway.url}/api/login`, {
            headers: { origin: gateway.url },
            data: { username, password },
          })
          expect(answer.status(), await answer.text()).toBe(200)
          await page.goto(`${gateway.url}${path}`)
        },
      })
      await gateway.stop()
    },
    // Its history takes a quarter of a minute of a processor of its own.
    { scope: 'worker', timeout: 300_000 },
  ],
})
