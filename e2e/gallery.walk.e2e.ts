// Every component in each of its states looks as it did. CONTRIBUTING.md says how to renew the pictures.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { expect, test } from '@playwright/test'
import { build } from 'vite'

const web = resolve(import.meta.dirname, '../web')
const kinds: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/** Builds the gallery alone into a folder, and returns that folder. */
async function buildGallery(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-gallery-'))
  await build({
    configFile: join(web, 'vite.config.ts'),
    mode: 'gallery',
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
  })
  return folder
}

test('the gallery looks as in its pictures: light, dark, and from right to left', async ({ page }) => {
  const folder = await buildGallery()
  try {
    // Files from a folder, without a server.
    await page.route('http://gallery.test/**', (route) => {
      const { pathname } = new URL(route.request().url())
      const contentType = kinds[extname(pathname)] ?? 'application/octet-stream'
      return route.fulfill({ contentType, body: readFileSync(join(folder, pathname)) })
    })
    await page.clock.setFixedTime('2026-11-19T14:32:00Z')
    for (const [name, colorScheme, dir] of [
      ['light', 'light', 'ltr'],
      ['dark', 'dark', 'ltr'],
      ['rtl', 'light', 'rtl'],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.goto(`http://gallery.test/gallery.html?dir=${dir}`)
      await expect(page.getByRole('heading', { level: 1, name: 'Gallery' })).toBeVisible()
      await page.evaluate(() => document.fonts.ready)
      await expect.soft(page).toHaveScreenshot(`${name}.png`, {
        fullPage: true,
        // Another version of the browser smooths some edges otherwise; a component that changes, changes more.
        threshold: 0.1,
        maxDiffPixels: 120,
      })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
