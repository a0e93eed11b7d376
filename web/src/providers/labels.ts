import type { DeadLetterReason, Worker } from '@tollgate/contract/providers/providers.ts'
import { counted } from '../format/counted.ts'
import { t } from '../language/t.ts'

/** The reasons of dead letters, for the filter. */
export const reasonLabels: Readonly<Record<DeadLetterReason, string>> = {
  unknown_number: t('Unknown number'),
  suspended_number: t('Number not active'),
  bad_number: t('Bad number'),
  bad_timestamp: t('Bad timestamp'),
  bad_field: t('Bad field'),
  not_a_row: t('Not a row'),
  too_large: t('Too large'),
}

/** Spec §2: the poll interval in minutes. "5 minutes", "1.5 minutes (90 s)"; below one in seconds. */
export function formatPollInterval(pollIntervalMs: number): string {
  if (pollIntervalMs < 60_000) return counted(pollIntervalMs / 1_000, '1 second', '{count} seconds')
  const minutes = Math.round(pollIntervalMs / 600) / 100
  const words = minutes === 1 ? t('1 minute') : t('{minutes} minutes', { minutes })
  return pollIntervalMs % 60_000 === 0
    ? words
    : t('{minutes} ({seconds} s)', { minutes: words, seconds: pollIntervalMs / 1_000 })
}

/** Spec §2: the uptime in hours and minutes. */
export function formatUptime({ uptime }: Pick<Worker, 'uptime'>): string {
  return `${Math.floor(uptime / 3_600)}h ${Math.floor((uptime % 3_600) / 60)}m`
}
