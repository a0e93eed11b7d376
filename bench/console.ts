// The console in a browser that shares the machine with the gateway and PostgreSQL.
import { chromium, type Browser, type Page } from '@playwright/test'
import { findChromium } from '../tools/chromium.mjs'
import { benchPassword } from '@tollgate/server/test/http/operator.ts'

/** Starts Chromium, runs the work, and ends it. */
export async function withBrowser<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await chromium.launch({
    executablePath: findChromium() ?? '/usr/bin/chromium',
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu'],
  })
  try {
    return await work(browser)
  } finally {
    await browser.close()
  }
}

/** Signs a person in, in a browser context of its own; `script` is source that runs in each page first. */
export async function openConsole(
  browser: Browser,
  url: string,
  username: string,
  script: string,
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.addInitScript(script)
  await page.goto(url)
  await page.getByLabel('Username').fill(username)
  await page.getByRole('textbox', { name: 'Password' }).fill(benchPassword)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('link', { name: 'Dashboard' }).waitFor()
  return page
}
