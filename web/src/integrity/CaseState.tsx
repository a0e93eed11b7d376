import type { IntegrityCase } from '@tollgate/contract/integrity/integrity.ts'
import { formatDateTime } from '../format/dates.ts'
import { t } from '../language/t.ts'
import { Badge, StatusBadge } from '../ui/Badge.tsx'
import { askedText } from './DecideHoldsDialog.tsx'

/** What became of a case, and what is next. */
export function CaseState({ found }: { found: IntegrityCase }) {
  return (
    <span className="block">
      <CaseBadge found={found} />
      <Note>{noteOf(found)}</Note>
    </span>
  )
}

/** The state alone. */
export function CaseBadge({ found: { level, state } }: { found: Pick<IntegrityCase, 'level' | 'state'> }) {
  if (state !== 'dry') return <StatusBadge kind="hold" status={state} />
  return level === 'hold' ? (
    <Badge tone="warn" icon="ring">
      {t('Would be held')}
    </Badge>
  ) : (
    <Badge tone="idle" icon="minus">
      {t('Only noted')}
    </Badge>
  )
}

function noteOf({
  isBeingHeld,
  billedFrom,
  asked,
  dueAt,
  state,
  decidedAt,
  decidedBy,
  decisionReason,
}: IntegrityCase): string {
  if (decidedAt !== null)
    return `${decidedBy || t('System')}, ${formatDateTime(decidedAt)}: ${decisionReason}`
  if (isBeingHeld) return t('Its messages are being held')
  if (asked !== null) return askedText(asked)
  if (billedFrom !== null)
    return t('What is on bills is taken off at {at}; nothing is paid before', {
      at: formatDateTime(billedFrom),
    })
  return state === 'open' && dueAt !== null ? t('Decide by {at}', { at: formatDateTime(dueAt) }) : ''
}

function Note({ children }: { children: string }) {
  if (children === '') return null
  return <span className="block max-w-48 text-xs whitespace-normal text-ink-3">{children}</span>
}
