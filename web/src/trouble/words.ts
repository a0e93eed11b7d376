// Words and lamps for kinds and severities of trouble.
import type { TroubleKind, TroubleSeverity } from '@tollgate/contract/trouble.ts'
import type { LampShape, Tone } from '../ui/Lamp.tsx'

export const kindLabels: Readonly<Record<TroubleKind, string>> = {
  refused_number: 'Refused number',
  refused_traffic: 'Refused messages',
  refused_bind: 'Refused bind',
  connection: 'Connection',
  endpoint: 'Endpoint',
  provider: 'Provider',
  silence: 'Silence',
  burst: 'Burst',
  parked_account: 'Parked account',
  cycle: 'Billing period',
  wallet: 'Wallet',
  late_payment: 'Late payment',
  approval: 'Approval',
  sign_up: 'Sign-up',
  number_request: 'Number request',
}

interface SeverityLook {
  readonly label: string
  readonly tone: Tone
  readonly lamp: LampShape
}

export const severityLooks: Readonly<Record<TroubleSeverity, SeverityLook>> = {
  critical: { label: 'Critical', tone: 'bad', lamp: 'x' },
  warning: { label: 'Warning', tone: 'warn', lamp: 'half' },
  notice: { label: 'Waits', tone: 'info', lamp: 'ring' },
}
