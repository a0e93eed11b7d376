// The same for the pages of single objects: their facts, and the strips in their tabs.
import type { ObjectKind } from '../web/src/paths.ts'
import { sum } from './figures.ts'
import {
  earned,
  listed,
  owedOf,
  records,
  traffic,
  type Pages,
  type Strip,
  type Who,
} from './figures-of-pages.ts'

/** One object of a kind, found by a text of its row in a list of the API; its facts, and the strips of its tabs. */
export interface ObjectFigures {
  readonly kind: ObjectKind
  readonly list: string
  readonly text?: string
  readonly facts: Strip
  readonly strips: Pages
}

const byMessages = { '?tab=traffic': traffic }
const number: ObjectFigures = {
  kind: 'number',
  list: '/api/numbers',
  text: '46701740623',
  facts: {
    Range: 'state',
    'USD per SMS': 'rate',
    'Earned this cycle': listed(sum('By Number', 'Earned', /46 701 740 623/)),
  },
  strips: byMessages,
}
// Nobody has a purchase price for it: a margin would be the sum of no list.
const range: ObjectFigures = {
  kind: 'range',
  list: '/api/ranges',
  text: '0907',
  facts: {},
  strips: { '?tab=overview': { Earned: { Messages: records, Earned: earned } }, ...byMessages },
}
const billOf = (isStaff: boolean): ObjectFigures => ({
  kind: 'bill',
  list: isStaff ? '/api/billing/all-periods' : '/api/billing/periods',
  text: 'sent_to_support',
  facts: {
    'Total Cost': listed(sum('What it is made of', 'USDT')),
    Received: 'counted elsewhere',
    Due: 'counted elsewhere',
    'SMS Count': records,
    'Cost per SMS': 'rate',
  },
  strips: byMessages,
})
const person = (text: string): ObjectFigures => ({
  kind: 'person',
  list: '/api/users?limit=500',
  text,
  facts: { 'Owed to it': listed(owedOf(true), { by: { tab: 'Money' } }) },
  strips: byMessages,
})
const staffObjects = [
  number,
  person('client2'),
  person('supplier1'),
  billOf(true),
  {
    kind: 'connection',
    list: '/api/smpp-connections',
    text: 'demo-smsc',
    facts: { 'Messages Sent (24h)': 'counted elsewhere' },
    strips: byMessages,
  },
] as const
const clientObjects = [number, range, billOf(false)]

export const objectsOf: Readonly<Record<Who, readonly ObjectFigures[]>> = {
  admin: [
    ...staffObjects,
    range,
    {
      kind: 'provider',
      list: '/api/providers',
      facts: { 'Messages Synced': records, Errors: 'counted elsewhere' },
      strips: byMessages,
    },
  ],
  support: [...staffObjects, range],
  client1: clientObjects,
  client2: [],
  client3: [],
  test: [],
  supplier1: [],
}
