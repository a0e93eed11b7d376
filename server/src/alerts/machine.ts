// What is wrong with the machines, as alerts: a disk that fills up, backups that are missing, a certificate that ends, a
// read replica that is lost.
import { sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import {
  alertTexts,
  type AlertKind,
  type AlertSeverity,
  type FoundAlert,
} from '@tollgate/contract/alerts/alerts.ts'
import type { ReplicaFault } from '../platform/failover/read-replica.ts'
import type { BackupWatch } from '../storage/embedded/backup-watch.ts'
import { roomWords, type DiskRoom } from '../storage/embedded/disk-room.ts'

interface Fault {
  readonly kind: AlertKind
  /** Tells it from others of its kind. */
  readonly item: string
  readonly severity: AlertSeverity
  readonly since: Date
  readonly name: Sentence
  readonly what: readonly Sentence[]
  readonly advice: Sentence
}

function alertOf({ kind, item, severity, since, ...texts }: Fault, now: Date): FoundAlert {
  return {
    ...alertTexts(texts),
    key: `${kind}:${item}`,
    kind,
    severity,
    since: since.toISOString(),
    last: now.toISOString(),
    count: null,
    hours: [],
    about: {},
  }
}

/** At first a warning, then critical. Nothing for a database on a server of its own, whose disk is not ours to see. */
export function diskAlerts(
  disk: Pick<DiskRoom, 'folder' | 'room' | 'since' | 'isRefusing'> | undefined,
  now: Date,
): FoundAlert[] {
  const critical = disk?.since('critical')
  const since = critical ?? disk?.since('warning')
  if (disk === undefined || since === undefined) return []
  const fault: Fault = {
    kind: 'disk',
    item: 'database',
    severity: critical === undefined ? 'warning' : 'critical',
    since,
    name: sentence('Disk of the database'),
    what: [
      sentence('{room} are free on the disk of {folder}.', {
        room: roomWords(disk.room),
        folder: disk.folder,
      }),
      ...(disk.isRefusing ? [sentence('Messages are refused until there is room.')] : []),
    ],
    advice: sentence(
      'Remove other files from this disk, or make it larger. Delete nothing in the folder of the database.',
    ),
  }
  return [alertOf(fault, now)]
}

/** Nothing without BACKUP_DIR: then nobody asked for backups. */
export function backupAlerts(
  backups: Pick<BackupWatch, 'folder' | 'failingSince' | 'copyLateSince'> | undefined,
  now: Date,
): FoundAlert[] {
  if (backups?.folder === undefined) return []
  const { folder, failingSince, copyLateSince } = backups
  const faults: Fault[] = []
  if (failingSince !== undefined)
    faults.push({
      kind: 'backup',
      item: 'archive',
      severity: 'critical',
      since: failingSince,
      name: sentence('Archive of the database'),
      what: [
        sentence(
          'The log of the database does not reach {folder}: what is written now is lost with the disk.',
          {
            folder,
          },
        ),
      ],
      advice: sentence(
        'See that this folder is there, may be written to, and has room. The rest follows by itself.',
      ),
    })
  if (copyLateSince !== undefined)
    faults.push({
      kind: 'backup',
      item: 'copy',
      severity: 'warning',
      since: copyLateSince,
      name: sentence('Copy of the database'),
      what: [sentence('The database was not copied to {folder} for 36 hours.', { folder })],
      advice: sentence('See that the command backup runs each night, and what it says.'),
    })
  return faults.map((fault) => alertOf(fault, now))
}

const dayMs = 86_400_000
const warningDays = 14
const criticalDays = 2

/** `endsAt` is the end of the certificate of SMPP over TLS; undefined without one. */
export function certificateAlerts(endsAt: Date | undefined, now: Date): FoundAlert[] {
  const leftMs = (endsAt?.getTime() ?? Infinity) - now.getTime()
  if (endsAt === undefined || leftMs > warningDays * dayMs) return []
  const day = endsAt.toISOString().slice(0, 10)
  const fault: Fault = {
    kind: 'certificate',
    item: 'smpp',
    severity: leftMs > criticalDays * dayMs ? 'warning' : 'critical',
    since: new Date(endsAt.getTime() - (leftMs > criticalDays * dayMs ? warningDays : criticalDays) * dayMs),
    name: sentence('Certificate of SMPP over TLS'),
    what: [
      leftMs > 0
        ? sentence('It ends on {day}. Peers that check it can bind no more then.', { day })
        : sentence('It ended on {day}. Peers that check it cannot bind.', { day }),
    ],
    advice: sentence(
      'Put a new one in its place: the gateway takes it within two seconds, without a restart.',
    ),
  }
  return [alertOf(fault, now)]
}

/** Nothing without DATABASE_READ_URL, whose standby answers lists, reports and exports. */
export function replicaAlerts(found: ReplicaFault | undefined, now: Date): FoundAlert[] {
  if (found === undefined) return []
  const { since, reason, ageSeconds } = found
  const isBehind = ageSeconds !== undefined
  const fault: Fault = {
    kind: 'replica',
    item: 'database',
    severity: 'warning',
    since,
    name: sentence('Read replica of the database'),
    what: [
      isBehind
        ? sentence('It is {seconds} s behind the primary.', { seconds: ageSeconds })
        : sentence('It does not answer, or is no standby of this database: {reason}.', { reason }),
      sentence('The primary answers its lists, reports and exports, beside the messages.'),
    ],
    advice: isBehind
      ? sentence(
          'See pg_stat_replication on the primary, and on the standby a paused replay, long queries and its disk. It is used again by itself.',
        )
      : sentence(
          'See that the server of DATABASE_READ_URL runs, can be reached from here, and follows the primary. It is used again by itself.',
        ),
  }
  return [alertOf(fault, now)]
}
