// Texts about the state of a connection, as the specification has them.
import type { Connection } from '@tollgate/contract/connections/connections.ts'
import { formatDuration } from '../format/dates.ts'
import { formatCount, formatDecimal } from '../format/money.ts'
import { formatWords } from '../format/sentences.ts'
import { t, joined } from '../language/t.ts'

// SMPP 3.4 §5.1.3: the command statuses of a bind that was refused for its credentials.
const credentialRefusals = [13, 14, 15]

/** The state for the badge. A connection with refused credentials reads 'Authentication Failed'. */
export function connectionBadge({ status, lastErrorCode }: Connection): string {
  return status === 'error' && credentialRefusals.includes(lastErrorCode ?? 0)
    ? 'authentication_failed'
    : status
}

/** 'Error Code 14: Invalid Password'. Empty while it is connected or without an error. */
export function connectionError({ status, lastErrorCode, lastError }: Connection): string {
  if (status === 'connected' || lastError === '') return ''
  return lastErrorCode === null
    ? formatWords(lastError)
    : t('Error Code {code}: {text}', { code: lastErrorCode, text: formatWords(lastError) })
}

/** Since when it has been in its state; null when nobody knows. */
export function stateSince({ status, connectedAt, downSince }: Connection): string | null {
  return status === 'connected' ? connectedAt : downSince
}

/** What a person can correct, by the field that is wrong. */
export type ConnectionCure = 'host' | 'systemId' | 'password'

export const cureLabels: Readonly<Record<ConnectionCure, string>> = {
  host: t('Edit address'),
  systemId: t('Edit system ID'),
  password: t('Edit password'),
}

/** What cures its fault; undefined when that is not a setting of ours. */
export function cureOf(connection: Connection): ConnectionCure | undefined {
  if (connectionError(connection) === '') return undefined
  const { lastErrorCode } = connection
  // SMPP 3.4 §5.1.3: 15 is a wrong system_id.
  if (lastErrorCode === 15) return 'systemId'
  if (lastErrorCode === null) return 'host'
  return credentialRefusals.includes(lastErrorCode) ? 'password' : undefined
}

/** What happens next: 'The system keeps retrying in the background. Next try in 24 s.' */
export function describeRetry({ isWanted, nextAttempt }: Connection, now: number): string {
  if (!isWanted) return t('It is disconnected and stays so.')
  const leftMs = nextAttempt === null ? 0 : new Date(nextAttempt).getTime() - now
  const next =
    leftMs >= 1_000
      ? t('Next try in {duration}.', { duration: formatDuration(leftMs) })
      : t('It is trying now.')
  return joined(t('The system keeps retrying in the background.'), next)
}

/** '0.42 of 100 msg/s': measured over the last minute, and the limit. */
export function formatThroughput({ messagesPerSecond, throughput }: Connection): string {
  const measured = formatDecimal(messagesPerSecond, 2)
  return throughput === 0
    ? t('{rate} msg/s, no limit', { rate: measured })
    : t('{measured} of {throughput} msg/s', { measured, throughput: formatCount(throughput) })
}
