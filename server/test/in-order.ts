// The tests of each file run in a random order. Files that are listed here still need the order in which they are written:
// one of their tests changes what another one counts. The list may only become shorter.
import { beforeAll } from 'vitest'

const needTheirOrder = [
  'server/drills/drills.test.ts',
  'server/src/deliver-kill.test.ts',
  'server/src/gateway/conformance.test.ts',
  'server/src/links-kill.test.ts',
  'server/src/main.test.ts',
  'server/src/noisy-neighbour.test.ts',
  'server/src/noisy-peers.test.ts',
  'server/src/records/feed/live-feed.test.ts',
  'server/src/rotate-key.test.ts',
  'server/src/two-nodes.test.ts',
]

// oxlint-disable-next-line no-empty-pattern -- vitest gives the file second and reads fixtures from the first pattern
beforeAll(({}, file) => {
  if (needTheirOrder.includes(file.name)) Object.assign(file, { shuffle: false })
})
