import { sentence } from '@tollgate/contract/sentences.ts'
import type { FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import type { Money } from './compose-money.ts'
import { cdrAlerts } from './cdr/index.ts'
import { endpointAlerts } from './endpoints/index.ts'
import { connectionAlerts } from './connections/index.ts'
import { refusedBindAlerts, smppCertificateEnd } from './gateway/index.ts'
import { caseAlerts } from './integrity/index.ts'
import { requestAlerts } from './numbers/index.ts'
import type { Db } from './platform/db.ts'
import type { Storage } from './storage/storage.ts'
import { shareFor } from './platform/load/share-for.ts'
import { providerAlerts } from './providers/index.ts'
import {
  backupAlerts,
  certificateAlerts,
  diskAlerts,
  refusedAlerts,
  replicaAlerts,
  clientTrafficAlerts,
  numberTrafficAlerts,
  trafficAlerts,
} from './alerts/index.ts'
import type { AlertSource } from './alerts/index.ts'
import { accountAlerts } from './users/index.ts'

/** A source that lists all that there is. */
const all =
  (find: (now: Date) => Promise<readonly FoundAlert[]>): AlertSource['find'] =>
  async (now) => ({ alerts: await find(now), unlisted: [] })

// It looks at days, and at all numbers.
const numbersLastMs = 60_000

/** A source that is read once for all who ask within this time. */
function lastingFor(ms: number, find: AlertSource['find']): AlertSource['find'] {
  let at = new Date(0)
  const read = shareFor(ms, () => find(at))
  return (now) => {
    at = now
    return read()
  }
}

/** What the slices report on the page Alerts; a further one adds its own here. */
export function alertSources(
  db: Db,
  billing: Pick<Money, 'alerts'>,
  { disk, backups, replica }: Pick<Storage, 'disk' | 'backups' | 'replica'>,
): AlertSource[] {
  return [
    {
      name: sentence('the machine'),
      kinds: ['disk', 'backup', 'certificate', 'replica'],
      find: all(async (now) => [
        ...diskAlerts(disk, now),
        ...backupAlerts(backups, now),
        ...certificateAlerts(smppCertificateEnd(), now),
        ...replicaAlerts(replica?.fault(now), now),
      ]),
    },
    {
      name: sentence('refused messages'),
      kinds: ['refused_number', 'refused_traffic'],
      find: (now) => refusedAlerts(db, now),
    },
    { name: sentence('refused binds'), kinds: ['refused_bind'], find: (now) => refusedBindAlerts(db, now) },
    {
      name: sentence('connections'),
      kinds: ['connection', 'certificate'],
      find: all((now) => connectionAlerts(db, now)),
    },
    { name: sentence('endpoints'), kinds: ['endpoint'], find: all(() => endpointAlerts(db)) },
    { name: sentence('CDR files'), kinds: ['cdr_file'], find: all((now) => cdrAlerts(db, now)) },
    { name: sentence('providers'), kinds: ['provider'], find: all((now) => providerAlerts(db, now)) },
    {
      name: sentence('hourly sums'),
      kinds: ['silence', 'burst'],
      find: all((now) => trafficAlerts(db, now)),
    },
    {
      name: sentence('hours of clients'),
      kinds: ['silence', 'burst'],
      find: (now) => clientTrafficAlerts(db, now),
    },
    {
      name: sentence('days of numbers'),
      kinds: ['silence', 'burst'],
      find: lastingFor(numbersLastMs, (now) => numberTrafficAlerts(db, now)),
    },
    {
      name: sentence('money'),
      kinds: ['parked_account', 'cycle', 'wallet', 'late_payment', 'approval'],
      find: () => billing.alerts(),
    },
    { name: sentence('held messages'), kinds: ['approval'], find: all((now) => caseAlerts(db, now)) },
    { name: sentence('accounts'), kinds: ['sign_up', 'approval'], find: all(() => accountAlerts(db)) },
    { name: sentence('number requests'), kinds: ['number_request'], find: all(() => requestAlerts(db)) },
  ]
}
