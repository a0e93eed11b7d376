// Finds the buttons of a page, clicks each twice as a quick hand does, and says what came of it that should not have.
import type { Download, Locator, Page, Request } from '@playwright/test'
import { settled } from './walk-rules.ts'

/** The pause of a double click: long enough for the gateway to answer in between. */
const pauseMs = 80

// The console goes by it where the browser does not count clicks: web/src/ui/use-opener.ts.
const doubleClickMs = 500

/** The button that was found last. */
const marked = '[data-double-click]'

const dialogSelector = '[role="dialog"]:not([data-docked-drawer]), [role="alertdialog"]'
const dialogs = (page: Page) => page.locator(dialogSelector)
const menuItems = '[role="menuitem"], [role="menuitemcheckbox"]'

/** Rows repeat the menus of the first ones, as far as their states are the same. */
const menuRowsMax = 2

interface Search {
  readonly selector: string
  /** The keys that are not looked for any more. */
  readonly tried?: readonly string[]
  /** The only key that is looked for. */
  readonly key?: string
}

interface Found {
  /** The words of the button without digits and names. */
  readonly key: string
  readonly isMenu: boolean
}

/** Marks the first usable button that is looked for. */
function mark(scope: Locator, search: Search): Promise<Found | undefined> {
  return scope.evaluate(
    (box, [{ selector, tried = [], key: wanted }, rowsMax]) => {
      document.querySelector('[data-double-click]')?.removeAttribute('data-double-click')
      const counts = new Map<string, number>()
      const isUsable = (button: HTMLElement) =>
        button.checkVisibility() &&
        !button.matches('[aria-disabled="true"], :disabled, [data-disabled], [aria-hidden="true"] *')
      const keyOf = (button: HTMLElement) => {
        const words = (button.getAttribute('aria-label') ?? button.innerText).trim().split(/\s+/)
        if (button.closest('tbody tr, li') === null) return words.join(' ').replaceAll(/\d[\d.,:]*/g, '#')
        // The verb, without the name of its row.
        const name = words
          .filter((word) => !/\d/.test(word))
          .slice(0, 2)
          .join(' ')
        const count = (counts.get(name) ?? 0) + 1
        counts.set(name, count)
        return button.ariaHasPopup === 'menu' && count <= rowsMax ? `${name} (${count})` : name
      }
      for (const button of box.querySelectorAll<HTMLElement>(selector)) {
        if (!isUsable(button)) continue
        const key = keyOf(button)
        if (wanted === undefined ? tried.includes(key) : key !== wanted) continue
        button.setAttribute('data-double-click', '')
        return { key, isMenu: button.ariaHasPopup === 'menu' }
      }
      return undefined
    },
    [search, menuRowsMax] as const,
  )
}

/** What an action has made the browser do. */
interface Traffic {
  /** The changing calls that the gateway has carried out. */
  readonly done: string[]
  readonly downloads: string[]
}

const isWrite = (request: Request) => {
  const { pathname } = new URL(request.url())
  // What a person's screens look like is saved with each change, and may be saved again.
  return request.method() !== 'GET' && /^\/api\/(?!user\/preferences)/.test(pathname)
}

const wordsOf = (request: Request) =>
  `${request.method()} ${new URL(request.url()).pathname} ${request.postData()?.slice(0, 200) ?? ''}`

/** So long that what a click has changed is drawn. */
const twoFrames = (page: Page) =>
  page.evaluate(() => new Promise((settle) => requestAnimationFrame(() => requestAnimationFrame(settle))))

/** Runs an action, and waits until no call is on its way, and no script of a dialog. */
async function observe(page: Page, action: () => Promise<void>): Promise<Traffic> {
  const traffic: Traffic = { done: [], downloads: [] }
  let openCount = 0
  const onRequest = (request: Request) => {
    const isScript = request.resourceType() === 'script'
    if (!isScript && !isWrite(request)) return
    openCount += 1
    void request
      .response()
      .catch(() => null)
      .then((response) => {
        openCount -= 1
        if (!isScript && response?.ok() === true) traffic.done.push(wordsOf(request))
      })
  }
  const onDownload = (download: Download) => void traffic.downloads.push(download.suggestedFilename())
  page.on('request', onRequest).on('download', onDownload)
  await action()
  await twoFrames(page)
  while (openCount > 0) await page.waitForTimeout(pauseMs / 4)
  await twoFrames(page)
  page.off('request', onRequest).off('download', onDownload)
  return traffic
}

const repeatsIn = (all: readonly string[]) => all.filter((one, index) => all.indexOf(one) !== index)

/** Words that deny what was done. */
const denials = (page: Page) =>
  page
    .getByText(/^Failed to|not found|already/)
    .and(page.locator('[role="alert"], [role="alert"] *, [role="status"] *'))

/** Where a button is, once it is scrolled to. */
async function boxOf(target: Locator) {
  try {
    return await target.evaluate(
      (button) => {
        button.scrollIntoView({ block: 'nearest' })
        const { x, y, width, height } = button.getBoundingClientRect()
        return { x, y, width, height }
      },
      undefined,
      { timeout: 1_000 },
    )
  } catch {
    return undefined
  }
}

/**
 * Clicks a button twice, and returns what was wrong with its effect; undefined when the button has gone, and 'slow' when the
 * machine made two clicks of it, each of which may have its effect.
 */
async function clickTwice(page: Page, target: Locator): Promise<string[] | 'slow' | undefined> {
  const box = await boxOf(target)
  if (box === undefined) return undefined
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  const before = await dialogs(page).count()
  let hadDialog = false
  let isDoubleClick = false
  const { done, downloads } = await observe(page, async () => {
    const begunMs = performance.now()
    await page.mouse.click(x, y)
    await page.waitForTimeout(pauseMs)
    hadDialog = (await dialogs(page).count()) > before
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
    isDoubleClick = performance.now() - begunMs < doubleClickMs
  })
  if (!isDoubleClick) return 'slow'
  const isClosed = hadDialog && done.length === 0 && (await dialogs(page).count()) <= before
  const denied = done.length === 0 ? [] : await denials(page).allInnerTexts()
  return [
    ...repeatsIn(done).map((call) => `done twice: ${call}`),
    ...repeatsIn(downloads).map((name) => `downloaded twice: ${name}`),
    ...(isClosed ? ['the second click closed the dialog'] : []),
    ...denied.map((text) => `${done.join(' and ')} was done, and it says ${text}`),
  ]
}

/** Closes dialogs and menus. */
async function closeLayers(page: Page): Promise<void> {
  for (let press = 0; press < 6; press += 1) {
    if ((await page.locator(`${dialogSelector}, [role="menu"]:visible`).count()) === 0) return
    const discard = page.getByRole('button', { name: /^Discard$|^I have stored/ })
    if ((await discard.count()) > 0) await discard.first().click()
    else await page.keyboard.press('Escape')
    await page.waitForTimeout(50)
  }
  throw new Error(`A dialog stays open: ${await dialogs(page).first().innerText()}`)
}

export interface Walk {
  readonly page: Page
  readonly faults: string[]
  /** The names of the buttons that were clicked twice in time. */
  readonly clicked: string[]
  /** Those that were not: nothing was learnt of them. */
  readonly slow: string[]
}

/** Clicks a button twice and notes it; false when the button has gone. */
async function tryOne(
  { page, faults, clicked, slow }: Walk,
  target: Locator,
  name: string,
): Promise<boolean> {
  const found = await clickTwice(page, target)
  if (found === undefined) return false
  if (found === 'slow') {
    slow.push(name)
    return true
  }
  clicked.push(name)
  faults.push(...found.map((fault) => `${name}: ${fault}`))
  return true
}

/** Clicks the action of a dialog twice, with what its fields hold. */
async function tryDialog(walk: Walk, opener: string): Promise<void> {
  const dialog = dialogs(walk.page).last()
  const confirmation = dialog.getByLabel(/to confirm$/)
  if ((await confirmation.count()) === 1)
    await confirmation.fill(/\+?[\d ]{6,}/.exec(await dialog.innerText())?.[0] ?? '')
  const action = dialog.locator('footer button').last()
  if ((await action.count()) === 1) await tryOne(walk, action, `${opener} > ${await action.innerText()}`)
}

/** Clicks the marked button twice; a dialog that opens is tried too. False when the button has gone. */
async function tryMarked(walk: Walk, name: string): Promise<boolean> {
  const { page } = walk
  const url = page.url()
  const wasThere = await tryOne(walk, page.locator(marked), name)
  if ((await dialogs(page).count()) > 0) await tryDialog(walk, name)
  await closeLayers(page)
  if (page.url() !== url) await open(page, url)
  return wasThere
}

/** Goes to an address inside the console, as a link does. */
async function open(page: Page, url: string): Promise<void> {
  await page.evaluate((next) => history.pushState({}, '', next), url)
  await settled(page)
}

/** Opens the menu again for each of its items that was not tried yet. */
async function tryMenu(walk: Walk, scope: Locator, opener: Search, tried: string[]): Promise<void> {
  const { page } = walk
  while ((await mark(scope, opener)) !== undefined) {
    await page.locator(marked).click()
    const item = await mark(page.getByRole('menu'), { selector: menuItems, tried })
    if (item === undefined) return closeLayers(page)
    tried.push(item.key)
    await tryMarked(walk, `${opener.key} > ${item.key}`)
  }
}

// Every list has them, from the same components: they are tried on the first one.
const ofEveryList = ['Views', 'Columns']
const buttons = 'button:not([role="tab"])'
const buttonsOfOnePage = `${buttons}:not(thead button)`

// Rows come and go with live traffic.
const lossesMax = 10

/** Clicks every button within `scope` twice. */
async function tryButtons(walk: Walk, scope: Locator, isFirst: boolean): Promise<void> {
  const selector = isFirst ? buttons : buttonsOfOnePage
  const tried: string[] = isFirst ? [] : [...ofEveryList]
  const items: string[] = []
  let losses = 0
  for (;;) {
    const found = await mark(scope, { selector, tried })
    if (found === undefined) return
    const { key } = found
    tried.push(key)
    if (found.isMenu) await tryMenu(walk, scope, { selector, key }, items)
    else if (!(await tryMarked(walk, key)) && (losses += 1) <= lossesMax) tried.pop()
  }
}

/**
 * Clicks every button of each tab of a page twice. Returns what was wrong, and what was clicked.
 *
 * @param isFirst Whether the buttons that every list has are tried too.
 */
export async function tryPage(page: Page, url: string, isFirst: boolean): Promise<Walk> {
  const walk: Walk = { page, faults: [], clicked: [], slow: [] }
  const tabs = page.locator('main').getByRole('tablist').first().getByRole('tab')
  // A button that has gone would be waited for until the end of the test.
  page.setDefaultTimeout(60_000)
  await page.goto(url)
  await settled(page)
  await tryButtons(walk, page.locator('main'), isFirst)
  for (let index = 1; index < (await tabs.count()); index += 1) {
    await open(page, url)
    await tabs.nth(index).click()
    await settled(page)
    // The buttons above the tabs are the same in each.
    await tryButtons(walk, page.locator('main [role="tabpanel"]:visible').first(), isFirst)
  }
  return walk
}
