// The tests of each file run in a random order. Files that are listed here still need the order in which they are written:
// one of their tests changes what another one counts. The list may only become shorter.
import { beforeAll } from 'vitest'

const needTheirOrder = [
  'server/drills/drills.test.ts',
  'server/src/deliver-kill.test.ts',
  'server/src/gateway/conformance.test.ts',
  'server/src/gateway/connections/links.test.ts',
  'server/src/gateway/deliver/deliver.test.ts',
  'server/src/gateway/faults.test.ts',
  'server/src/gateway/interconnection/interconnection.test.ts',
  'server/src/gateway/routes.test.ts',
  'server/src/ledger/ledger.test.ts',
  'server/src/links-kill.test.ts',
  'server/src/main.test.ts',
  'server/src/noisy-neighbour.test.ts',
  'server/src/noisy-peers.test.ts',
  'server/src/records/feed/live-feed.test.ts',
  'server/src/records/ingest/ingest.test.ts',
  'server/src/records/read/stats.test.ts',
  'server/src/records/retention/retention.test.ts',
  'server/src/records/routes.test.ts',
  'server/src/records/search/candidates.test.ts',
  'server/src/rotate-key.test.ts',
  'server/src/two-nodes.test.ts',
  'server/src/users/login/sign-in-mails.test.ts',
]

// oxlint-disable-next-line no-empty-pattern -- vitest gives the file second and reads fixtures from the first pattern
beforeAll(({}, file) => {
  if (needTheirOrder.includes(file.name)) Object.assign(file, { shuffle: false })
})
