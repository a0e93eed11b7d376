// `npm run pictures`: starts the demo, takes the pages of pictures.json in light and dark, and writes them to
// docs/console with docs/console.md.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium } from '@playwright/test'
import { findChromium } from './chromium.mjs'
import { palettePng } from './palette-png.mjs'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'docs/console')
const pictures = JSON.parse(readFileSync(join(root, 'tools/pictures.json'), 'utf8'))

/** A port that nobody listens on. */
function freePort() {
  return new Promise((settle) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => settle(port))
    })
  })
}

/** Starts the demo in a folder of its own. Resolves when it is ready. */
async function startDemo() {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-pictures-'))
  const [httpPort, smppPort] = [await freePort(), await freePort()]
  const child = spawn(process.execPath, [join(root, 'dist/server/demo.js')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      HTTP_PORT: String(httpPort),
      SMPP_PORT: String(smppPort),
      DATA_DIR: dataDir,
      DATABASE_URL: '',
      LOG_LEVEL: 'warn',
    },
  })
  const ended = new Promise((settle) => child.on('exit', settle))
  let output = ''
  await new Promise((settle, reject) => {
    child.on('exit', () => reject(new Error(`The demo has ended:\n${output}`)))
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (output.includes('Tollgate is ready')) settle()
    })
  })
  return {
    url: `http://127.0.0.1:${httpPort}`,
    passwordOf: (person) => new RegExp(`^ {2}${person} +(\\S+)`, 'm').exec(output)?.[1],
    async stop() {
      child.kill('SIGTERM')
      await ended
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A page that is signed in as a person of the demo. */
async function pageOf(browser, demo, person) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const answer = await page.request.post(`${demo.url}/api/login`, {
    headers: { origin: demo.url },
    data: { username: person, password: demo.passwordOf(person) },
  })
  if (!answer.ok()) throw new Error(`${person} cannot sign in: ${await answer.text()}`)
  return page
}

/** Nothing is being loaded any more. */
async function settled(page) {
  await page.locator('main h1').waitFor()
  await page.waitForFunction(
    () => document.querySelector('[aria-busy="true"], [data-skeleton], [role="status"].sr-only') === null,
  )
  await page.evaluate(() => document.fonts.ready)
}

async function take(page, url, { path, name, tab }) {
  await page.goto(`${url}${path}`)
  await settled(page)
  if (tab !== undefined) {
    await page.getByRole('tab', { name: tab }).click()
    await page.locator('h1').click()
    await settled(page)
  }
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor()
    const picture = await palettePng(page, await page.screenshot())
    writeFileSync(join(folder, `${name}-${colorScheme}.png`), picture)
    console.log(`${name}-${colorScheme}.png ${Math.round(picture.length / 1000)} kB`)
  }
}

/** The index page. */
function index() {
  const rows = pictures.map(
    ({ name, title, person, says }) =>
      `## ${title}\n${says} Seen by \`${person}\` of the demo.\n\n![${title} in light](console/${name}-light.png)\n![${title} in dark](console/${name}-dark.png)\n`,
  )
  return `# The console in pictures\nWritten by \`npm run pictures\` from the demo. All people, numbers and amounts are invented.\n\n${rows.join('\n')}`
}

mkdirSync(folder, { recursive: true })
const demo = await startDemo()
try {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: process.getuid?.() === 0 ? ['--no-sandbox', '--disable-gpu'] : ['--disable-gpu'],
  })
  for (const person of new Set(pictures.map((picture) => picture.person))) {
    const page = await pageOf(browser, demo, person)
    for (const picture of pictures.filter((one) => one.person === person)) await take(page, demo.url, picture)
    await page.context().close()
  }
  await browser.close()
  writeFileSync(join(root, 'docs/console.md'), index())
} finally {
  await demo.stop()
}
