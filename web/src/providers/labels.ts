import type { DeadLetterReason, Worker } from '@tollgate/contract/providers.ts'

/** The reasons of dead letters, for the filter. */
export const reasonLabels: Readonly<Record<DeadLetterReason, string>> = {
  unknown_number: 'Unknown number',
  suspended_number: 'Number not active',
  bad_number: 'Bad number',
  bad_timestamp: 'Bad timestamp',
  bad_field: 'Bad field',
  not_a_row: 'Not a row',
  too_large: 'Too large',
}

/** Spec §2: the poll interval in minutes. "5 minutes"; a fraction also in seconds: "0.5 minutes (30 s)". */
export function formatPollInterval(pollIntervalMs: number): string {
  const minutes = Math.round(pollIntervalMs / 600) / 100
  const words = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
  return pollIntervalMs % 60_000 === 0 ? words : `${words} (${pollIntervalMs / 1_000} s)`
}

/** Spec §2: the uptime in hours and minutes. */
export function formatUptime({ uptime }: Pick<Worker, 'uptime'>): string {
  return `${Math.floor(uptime / 3_600)}h ${Math.floor((uptime % 3_600) / 60)}m`
}
