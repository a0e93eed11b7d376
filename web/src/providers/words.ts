import type { Worker } from '@tollgate/contract/providers.ts'

/** Spec §2: poll interval in minutes. "5 minutes"; what is not whole also in seconds: "0.5 minutes (30 s)". */
export function pollWords(pollIntervalMs: number): string {
  const minutes = Math.round(pollIntervalMs / 600) / 100
  const words = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
  return pollIntervalMs % 60_000 === 0 ? words : `${words} (${pollIntervalMs / 1_000} s)`
}

/** Spec §2: uptime in hours and minutes. */
export function uptimeWords({ uptime }: Pick<Worker, 'uptime'>): string {
  return `${Math.floor(uptime / 3_600)}h ${Math.floor((uptime % 3_600) / 60)}m`
}
