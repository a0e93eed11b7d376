import { sentence } from '@tollgate/contract/sentences.ts'
import type { FoundTrouble } from '@tollgate/contract/alerts/alerts.ts'
import type { Money } from './compose-money.ts'
import { cdrTroubles } from './cdr/index.ts'
import { endpointTroubles } from './endpoints/index.ts'
import { connectionTroubles } from './connections/index.ts'
import { refusedBindTroubles } from './gateway/index.ts'
import { requestTroubles } from './numbers/index.ts'
import type { Db } from './platform/db.ts'
import { providerTroubles } from './providers/index.ts'
import { refusedTroubles, trafficTroubles } from './alerts/index.ts'
import type { TroubleSource } from './alerts/index.ts'
import { accountTroubles } from './users/index.ts'

/** A source that lists all that there is. */
const all =
  (find: (now: Date) => Promise<readonly FoundTrouble[]>): TroubleSource['find'] =>
  async (now) => ({ troubles: await find(now), unlisted: [] })

/** What the slices report on the page Trouble; a further one adds its own here. */
export function troubleSources(db: Db, billing: Pick<Money, 'troubles'>): TroubleSource[] {
  return [
    {
      name: sentence('refused messages'),
      kinds: ['refused_number', 'refused_traffic'],
      find: (now) => refusedTroubles(db, now),
    },
    { name: sentence('refused binds'), kinds: ['refused_bind'], find: (now) => refusedBindTroubles(db, now) },
    { name: sentence('connections'), kinds: ['connection'], find: all(() => connectionTroubles(db)) },
    { name: sentence('endpoints'), kinds: ['endpoint'], find: all(() => endpointTroubles(db)) },
    { name: sentence('CDR files'), kinds: ['cdr_file'], find: all((now) => cdrTroubles(db, now)) },
    { name: sentence('providers'), kinds: ['provider'], find: all((now) => providerTroubles(db, now)) },
    {
      name: sentence('hourly sums'),
      kinds: ['silence', 'burst'],
      find: all((now) => trafficTroubles(db, now)),
    },
    {
      name: sentence('money'),
      kinds: ['parked_account', 'cycle', 'wallet', 'late_payment', 'approval'],
      find: () => billing.troubles(),
    },
    { name: sentence('accounts'), kinds: ['sign_up', 'approval'], find: all(() => accountTroubles(db)) },
    { name: sentence('number requests'), kinds: ['number_request'], find: all(() => requestTroubles(db)) },
  ]
}
