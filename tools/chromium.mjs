// Where a Chromium to test with may be found.
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { packagedChromium } from './packaged-chromium.mjs'

// The shell first: Debian's chromium-headless-shell has the same engine without the windows and services of a browser, and
// takes a third less processor time.
const usualPlaces = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const macProgram = 'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing'

/** Browsers that `npx playwright install` once fetched. */
function fetchedByPlaywright() {
  const caches = [
    process.env.PLAYWRIGHT_BROWSERS_PATH,
    join(homedir(), '.cache/ms-playwright'),
    join(homedir(), 'Library/Caches/ms-playwright'),
  ]
  return caches
    .filter((folder) => folder !== undefined && existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => /^chromium-\d+$/.test(name))
        .map((name) => join(folder, name)),
    )
    .flatMap((folder) => [
      join(folder, 'chrome-linux64/chrome'),
      join(folder, 'chrome-linux-arm64/chrome'),
      ...['x64', 'arm64'].map((arch) => join(folder, `chrome-mac-${arch}`, macProgram)),
    ])
}

/** The path of a Chromium, undefined without one. CHROMIUM_PATH, when set, is the only candidate. */
export function findChromium() {
  const chosen = process.env.CHROMIUM_PATH
  return (chosen ? [chosen] : [...usualPlaces, ...fetchedByPlaywright(), packagedChromium]).find((path) =>
    existsSync(path),
  )
}
