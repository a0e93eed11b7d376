// A disk that fills up, as an alert: at first a warning, then critical.
import { sentence } from '@tollgate/contract/sentences.ts'
import { alertTexts, type FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import { roomWords, type DiskRoom } from '../platform/embedded/disk-room.ts'

/** Nothing for a database on a server of its own, whose disk is not ours to see. */
export function diskAlerts(
  disk: Pick<DiskRoom, 'folder' | 'room' | 'since' | 'isRefusing'> | undefined,
  now: Date,
): FoundAlert[] {
  const critical = disk?.since('critical')
  const since = critical ?? disk?.since('warning')
  if (disk === undefined || since === undefined) return []
  return [
    {
      ...alertTexts({
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
      }),
      key: 'disk:database',
      kind: 'disk',
      severity: critical === undefined ? 'warning' : 'critical',
      since: since.toISOString(),
      last: now.toISOString(),
      count: null,
      hours: [],
      about: {},
    },
  ]
}
