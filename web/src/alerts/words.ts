// Words and status icons for kinds and severities of alert.
import type { AlertKind, AlertScopeKind, AlertSeverity } from '@tollgate/contract/alerts/alerts.ts'
import type { StatusShape, Tone } from '../ui/StatusIcon.tsx'
import { t } from '../language/t.ts'

export const kindLabels: Readonly<Record<AlertKind, string>> = {
  disk: t('Disk'),
  backup: t('Backup'),
  replica: t('Read replica'),
  certificate: t('Certificate'),
  refused_number: t('Refused number'),
  refused_traffic: t('Refused messages'),
  refused_bind: t('Refused bind'),
  connection: t('Connection'),
  endpoint: t('Endpoint'),
  cdr_file: t('CDR files'),
  provider: t('Provider'),
  silence: t('Silence'),
  burst: t('Burst'),
  parked_account: t('Parked account'),
  cycle: t('Billing period'),
  wallet: t('Wallet'),
  late_payment: t('Late payment'),
  approval: t('Approval'),
  sign_up: t('Sign-up'),
  number_request: t('Number request'),
}

interface SeverityLook {
  readonly label: string
  readonly tone: Tone
  readonly icon: StatusShape
}

export const severityLooks: Readonly<Record<AlertSeverity, SeverityLook>> = {
  critical: { label: t('Critical'), tone: 'bad', icon: 'x' },
  warning: { label: t('Warning'), tone: 'warn', icon: 'half' },
  notice: { label: t('Waits'), tone: 'info', icon: 'ring' },
}

/** What a rule may be limited to. */
export const scopeLabels: Readonly<Record<AlertScopeKind, string>> = {
  connection: t('One connection'),
  provider: t('One provider'),
  account: t('One client or supplier'),
  range: t('One number range'),
}
