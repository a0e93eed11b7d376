// What the page of CDR files reads, and the words for it.
import { cdrRoutes, type CdrDestination, type CdrFile, type CdrSchedule } from '@tollgate/contract/cdr/cdr.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatDecimal } from '../format/money.ts'
import type { StatusShape, Tone } from '../ui/StatusIcon.tsx'
import { t } from '../language/t.ts'

const refetchIntervalMs = 5_000
export const cdrPaths = [cdrRoutes.listCdrSchedules.path, cdrRoutes.listCdrFiles.path] as const

export function useCdrSchedules() {
  return useApiQuery(cdrRoutes.listCdrSchedules, {}, { refetchIntervalMs })
}

/** Writes a small file to a schedule's destination. */
export function useCdrTest() {
  return useApiMutation(cdrRoutes.testCdrSchedule, {
    refetch: cdrPaths,
    failure: t('Failed to test the destination'),
  })
}

export const rhythmLabels: Readonly<Record<CdrSchedule['every'], string>> = {
  hour: t('Every hour'),
  day: t('Every day'),
  archive: t('Archive of closed weeks'),
}
export const formatLabels: Readonly<Record<CdrSchedule['format'], string>> = {
  csv: 'CSV',
  parquet: t('Parquet'),
}
export const destinationLabels: Readonly<Record<CdrDestination['type'], string>> = {
  folder: t('Folder'),
  s3: 'S3',
  sftp: 'SFTP',
}

/** `sftp://cdr@files.example.com/in` */
export function addressOf(to: CdrDestination): string {
  if (to.type === 'folder') return `CDR_DIR/${to.path}`
  if (to.type === 's3') return [to.endpoint.replace(/\/+$/, ''), to.bucket, to.path].filter(Boolean).join('/')
  const port = to.port === 22 ? '' : `:${to.port}`
  return `sftp://${to.username}@${to.host}${port}/${to.path.replace(/^\//, '')}`
}

interface Look {
  readonly tone: Tone
  readonly icon: StatusShape
  readonly label: string
}

export function scheduleLook({ isPaused, failing }: CdrSchedule): Look {
  if (isPaused) return { tone: 'idle', icon: 'pause', label: t('Paused') }
  return failing === null
    ? { tone: 'ok', icon: 'check', label: t('Active') }
    : { tone: 'bad', icon: 'x', label: t('Failing') }
}

export function fileLook({ state, error }: CdrFile): Look {
  if (state === 'delivered') return { tone: 'ok', icon: 'check', label: t('Delivered') }
  if (state === 'incomplete') return { tone: 'bad', icon: 'x', label: t('Incomplete') }
  return error === ''
    ? { tone: 'info', icon: 'ring', label: t('Waiting') }
    : { tone: 'bad', icon: 'x', label: t('Failing') }
}

/** `5.8 MB` */
export function formatSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'] as const
  const power = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${formatDecimal(bytes / 1_000 ** power, power === 0 ? 0 : 1)} ${units[power] ?? 'B'}`
}
