import { sentence } from '@tollgate/contract/sentences.ts'
import type { Billing } from './billing/index.ts'
import { cdrTroubles } from './cdr/index.ts'
import { endpointTroubles } from './endpoints/index.ts'
import { connectionTroubles, refusedBindTroubles } from './gateway/index.ts'
import { requestTroubles } from './numbers/index.ts'
import type { Db } from './platform/db.ts'
import { providerTroubles } from './providers/index.ts'
import { refusedTroubles, trafficTroubles } from './records/index.ts'
import type { TroubleSource } from './trouble/index.ts'
import { accountTroubles } from './users/index.ts'

/** What the slices report on the page Trouble; a further one adds its own here. */
export function troubleSources(db: Db, billing: Pick<Billing, 'troubles'>): TroubleSource[] {
  return [
    {
      name: sentence('refused messages'),
      kinds: ['refused_number', 'refused_traffic'],
      find: (now) => refusedTroubles(db, now),
    },
    { name: sentence('refused binds'), kinds: ['refused_bind'], find: (now) => refusedBindTroubles(db, now) },
    { name: sentence('connections'), kinds: ['connection'], find: () => connectionTroubles(db) },
    { name: sentence('endpoints'), kinds: ['endpoint'], find: () => endpointTroubles(db) },
    { name: sentence('CDR files'), kinds: ['cdr_file'], find: (now) => cdrTroubles(db, now) },
    { name: sentence('providers'), kinds: ['provider'], find: (now) => providerTroubles(db, now) },
    { name: sentence('hourly sums'), kinds: ['silence', 'burst'], find: (now) => trafficTroubles(db, now) },
    {
      name: sentence('money'),
      kinds: ['parked_account', 'cycle', 'wallet', 'late_payment', 'approval'],
      find: () => billing.troubles(),
    },
    { name: sentence('accounts'), kinds: ['sign_up', 'approval'], find: () => accountTroubles(db) },
    { name: sentence('number requests'), kinds: ['number_request'], find: () => requestTroubles(db) },
  ]
}
