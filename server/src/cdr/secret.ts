import type { Secrets } from '../platform/security/secrets.ts'

/** The context that a schedule's secret is encrypted for. */
export function secretContext(scheduleId: number): string {
  return `cdr_schedules.encrypted_secret ${scheduleId}`
}

/** The key, password or private key of a destination; empty for a folder. */
export function openSecret(
  secrets: Pick<Secrets, 'decrypt'>,
  scheduleId: number,
  encrypted: Buffer | null,
): string {
  return encrypted === null ? '' : secrets.decrypt(encrypted, secretContext(scheduleId)).toString()
}
