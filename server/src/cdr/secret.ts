import type { Secrets } from '../platform/security/secrets.ts'

/** The context that a schedule's secret is encrypted for. */
export function secretContext(scheduleId: number): string {
  return `cdr_schedules.sealed_secret ${scheduleId}`
}

/** The key, password or private key of a destination; empty for a folder. */
export function openSecret(
  secrets: Pick<Secrets, 'decrypt'>,
  scheduleId: number,
  sealed: Buffer | null,
): string {
  return sealed === null ? '' : secrets.decrypt(sealed, secretContext(scheduleId)).toString()
}
