// Which list each head figure and badge of a page leads to, for each role, and how it is counted there.
import { expect, type Page } from '@playwright/test'
import { paths } from '../web/src/paths.ts'
import { legend, numbersIn, rows, rowsToActOn, sum, total } from './figures.ts'

type Measure = (page: Page) => Promise<number>
export type Who = 'admin' | 'support' | 'client1' | 'client2' | 'client3' | 'test' | 'supplier1'

export interface Listed {
  /** What the list shows. */
  readonly list: Measure
  /** The words of the link, where the first link of the cell leads to something else; or of the tab above the list. */
  readonly by?: { readonly link: string } | { readonly tab: string }
  /** Its rows are rounded to cents, the figure is not: a tenth is the most that twenty rows can differ by. */
  readonly isRounded?: true
}

/** Figures by strip and label. Words are of what has no list: a state, a share, a rate. */
export type Strip = Readonly<Record<string, Listed | 'state' | 'share' | 'rate' | 'counted elsewhere'>>
export type Strips = Readonly<Record<string, Strip>>

export const listed = (list: Measure, more: Omit<Listed, 'list'> = {}): Listed => ({ list, ...more })
export const records = listed(total('Total Records'))
export const earned = listed(total('Total Earned'))
const bill = listed(total('Total Bill Amount'))

const bound = numbersIn(/(\d+) peers? (?:is|are) bound now\.(?: (\d+) of our)?|Nobody is bound now/)
const outAndIn: Measure = async (page) =>
  (await rows('Outbound Connections', /Connected/)(page)) + (await rows('Inbound providers')(page))

const gatewayOf = (connections: Measure, numbers: Measure): Strips => ({
  Gateway: {
    'Gateway Status': 'state',
    'Active Connections': listed(connections),
    'SMS Records': records,
    'IPRN Numbers': listed(numbers),
  },
})

const analytics: Strips = {
  'The period': { Messages: records, Success: 'share', Bill: bill, Earned: earned },
  Analytics: {
    'Total Messages': records,
    'Unique Numbers': listed(rows('By Number')),
    'Active Providers': listed(rows('By Supplier')),
  },
}

export const traffic: Strips = { Traffic: { 'SMS Records': records, Bill: bill, Earned: earned } }

/** What a client is owed: its bills, less what was paid of them, and its payouts. */
const dueToClient: Measure = async (page) => {
  const bills = page.getByRole('list', { name: 'Billing History' }).getByRole('listitem')
  await expect(bills.first()).toBeVisible()
  const dues = await bills.evaluateAll((items) =>
    items.map((item) => {
      const text = (item as HTMLElement).innerText
      // A rest stands below the amount; what is not paid at all has no hash yet.
      const rest = /([\d,.]+) USDT due/.exec(text)?.[1]
      return rest ?? (text.includes('not paid yet') ? item.querySelector('strong')?.textContent : '0')
    }),
  )
  const payouts = page.getByRole('table', { name: 'Payouts' })
  const ofPayouts = (await payouts.count()) > 0 ? await sum('Payouts', 'Amount', /Pending/)(page) : 0
  return dues.reduce((all, due) => all + Number(due?.replaceAll(',', '')), ofPayouts)
}

/** The movements of an account add up to what is owed; what was paid lowers it, and what was paid too much as well. */
const owedColumn = (isStaff: boolean) => (isStaff ? 'Amount' : 'Owed to you by it')
export const owedOf = (isStaff: boolean) => sum('Movements', owedColumn(isStaff))
const paidOf =
  (isStaff: boolean): Measure =>
  async (page) =>
    -(await sum('Movements', owedColumn(isStaff), /Paid to you|Payment|Kept as credit/)(page))
const accountStrip = (isStaff: boolean): Strip => ({
  [isStaff ? 'Balance' : 'Due to you']: listed(owedOf(isStaff)),
  'Not billed yet': earned,
  Held: earned,
  [isStaff ? 'Received' : 'Paid to you']: listed(paidOf(isStaff)),
})

const clientHome: Strips = {
  'Your money': {
    'You earn, open cycle': listed(sum('By Number', 'Earned'), {
      by: { link: 'by number' },
      isRounded: true,
    }),
    'Due to you': listed(dueToClient),
    Held: earned,
    'Paid to you': listed(paidOf(false)),
  },
  ...gatewayOf(bound, rows('Account numbers')),
}

const ownRequests: Strips = {
  'Your requests': {
    Pending: listed(rows('Your Number Requests', /Under review/)),
    Approved: listed(rows('Your Number Requests', /Approved|Assigned/)),
    Rejected: listed(rows('Your Number Requests', /Rejected/)),
    Total: listed(rows('Your Number Requests')),
  },
}

const staffRequests: Strips = {
  'All requests': {
    Pending: listed(rows('Number requests')),
    Approved: listed(rows('Number requests')),
    Rejected: listed(rows('Number requests')),
    Total: listed(rows('Number requests')),
  },
}

const money: Strips = {
  Money: {
    'Ready for Payment': listed(sum('Pending Bills', 'Amount')),
    'Open cycle, in bills': listed(sum('All bills', 'Amount'), { isRounded: true }),
    'Paid, last 30 days': listed(sum('Payment History', 'Received')),
    'Held back': listed(sum('Held for review', 'Amount')),
  },
}

const inventory: Strips = {
  Inventory: {
    'Total Numbers': listed(rows('Number inventory')),
    'Assigned Numbers': listed(rows('Number inventory')),
    'Total Revenue': listed(sum('Payouts', 'Amount')),
    'Pending Payouts': listed(rows('Payouts')),
  },
}

const overdue: Measure = async (page) => {
  const words = await page
    .getByRole('main')
    .getByText(/has waited more than|have waited more than/)
    .allInnerTexts()
  return words.reduce((all, text) => all + Number(/: ([\d,.]+) USDT/.exec(text)?.[1]?.replaceAll(',', '')), 0)
}

const books: Strips = {
  'All accounts': { Balance: listed(sum('Accounts', 'Balance')), Overdue: listed(overdue) },
}

const margin: Strips = {
  Margin: {
    Margin: listed(sum('Margin by range', 'Margin'), { isRounded: true }),
    Revenue: listed(sum('Margin by range', 'Revenue'), { isRounded: true }),
    Cost: listed(sum('Margin by range', 'Cost'), { isRounded: true }),
    'Without a price': listed(sum('Margin by range', 'Without a price')),
  },
}

const links: Strips = {
  Interconnection: {
    'Active SMPP': listed(rows('SMPP Connections', /Connected/)),
    'API Endpoints': listed(rows('API Endpoints', /Active/), { by: { tab: 'API Endpoints' } }),
    'Avg Throughput': 'rate',
    'Success Rate': 'share',
  },
}

const providers: Strips = {
  Statistics: {
    'Total Providers': listed(rows('Provider performance')),
    'Active Workers': listed(rows('Provider performance', /Running/)),
    'Total Messages': listed(sum('Provider performance', 'Messages')),
    'Total Errors': listed(sum('Provider performance', 'Errors')),
  },
}

const smppTraffic: Strips = {
  'SMPP Traffic': {
    Accepted: listed(legend('Accepted')),
    Refused: listed(sum('Refused messages', 'Messages')),
    Binds: listed(rows('Binds')),
    'Receipts taken': 'counted elsewhere',
  },
}

export type Pages = Readonly<Record<string, Strips>>
const at = (path: string, tab: string) => `${path}?tab=${tab}`

const staff = (connections: Measure): Pages => ({
  [paths.home]: gatewayOf(connections, rows('Numbers')),
  [at(paths.home, 'analytics')]: analytics,
  [paths.paymentManagement]: money,
  [paths.books]: books,
  [at(paths.books, 'accounts&account=3')]: { Account: accountStrip(true) },
  [paths.numberRequests]: staffRequests,
  [paths.numberInventory]: inventory,
  [paths.interconnectionApi]: links,
})
const client: Pages = {
  [paths.home]: clientHome,
  [at(paths.home, 'analytics')]: analytics,
  [at(paths.payment, 'account')]: { Account: accountStrip(false) },
  [paths.numberRequests]: ownRequests,
}

export const pagesOf: Readonly<Record<Who, Pages>> = {
  admin: {
    ...staff(outAndIn),
    [`${at(paths.books, 'margin')}&from=2020-01-01&to=2099-12-31`]: margin,
    [at(paths.httpProviders, 'statistics')]: providers,
  },
  support: staff(bound),
  client1: client,
  client2: client,
  client3: client,
  test: { [paths.home]: gatewayOf(bound, rows('Account numbers')), [at(paths.home, 'analytics')]: analytics },
  supplier1: { [paths.home]: smppTraffic, [paths.smppTraffic]: smppTraffic },
}

/** A counter, and what this person can do about each thing that it counts. */
export interface Badge {
  readonly on: string
  readonly name: string
  readonly kind: 'entry' | 'tab' | 'choice'
  readonly list: Measure
}

const toFix: Measure = async (page) => {
  const card = page.locator('main section').filter({ has: page.getByRole('heading', { name: 'To fix' }) })
  return (await card.count()) === 0 ? 0 : card.getByRole('list').first().locator('> li').count()
}
const toApprove: Measure = (page) =>
  page
    .locator('main')
    .getByRole('listitem')
    .getByRole('button', { name: /^Approve / })
    .count()
const failing = /Authentication Failed|Error/
const failingLinks: Measure = (page) => page.getByRole('alert').getByRole('listitem').count()
const payable = rowsToActOn('Pending Bills', /^(Mark as Paid|Process)/)
const decidable = rowsToActOn('Held for review', /^(Release|Refuse)/)

const staffBadges: readonly Badge[] = [
  { on: paths.home, kind: 'entry', name: 'Alerts', list: toFix },
  {
    on: paths.home,
    kind: 'entry',
    name: 'Number Requests',
    list: rowsToActOn('Number requests', /^(Approve|Assign|Reject)/),
  },
  { on: paths.home, kind: 'entry', name: 'Payment Management', list: payable },
  { on: paths.home, kind: 'entry', name: 'Users Management', list: toApprove },
  { on: paths.home, kind: 'tab', name: 'Connections', list: failingLinks },
  { on: at(paths.paymentManagement, 'runs'), kind: 'tab', name: 'Pending Bills', list: payable },
  { on: paths.paymentManagement, kind: 'tab', name: 'Review', list: decidable },
  ...['Can be paid', 'Waits for the client', 'Waits for us', 'Being paid'].map((name) => ({
    on: paths.paymentManagement,
    kind: 'choice' as const,
    name,
    list: rows('Pending Bills'),
  })),
  { on: at(paths.paymentManagement, 'review'), kind: 'choice', name: 'Held for review', list: decidable },
  {
    on: at(paths.interconnectionApi, 'monitoring'),
    kind: 'tab',
    name: 'SMPP Connections',
    list: rows('SMPP Connections', failing),
  },
]
export const badgesOf: Readonly<Record<Who, readonly Badge[]>> = {
  admin: [
    ...staffBadges,
    {
      on: at(paths.smppControl, 'server'),
      kind: 'tab',
      name: 'Connections',
      list: rows('Outbound Connections', failing),
    },
  ],
  support: staffBadges,
  client1: [],
  client2: [],
  client3: [],
  test: [],
  supplier1: [],
}
