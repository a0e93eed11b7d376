import type { RunDetail } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { byAt } from '../format/by-at.ts'
import { Pairs } from '../ui/Card.tsx'
import { t } from '../language/t.ts'

/** Who did what, and when. */
export function RunSteps({ run }: { run: RunDetail }) {
  const step = (label: string, by: string, at: string | null, more = '') =>
    at === null
      ? []
      : [
          {
            label,
            value: (
              <>
                {byAt(by === '' ? t('the last transfer') : by, at)}
                {more !== '' && <span className="block text-xs break-words text-ink-3">{more}</span>}
              </>
            ),
          },
        ]
  return (
    <Pairs
      items={[
        ...step(t('Drafted by'), run.draftedBy, run.draftedAt, run.note),
        ...step(t('Approved by'), run.approvedBy, run.approvedAt),
        ...step(t('Exported by'), run.exportedBy, run.exportedAt),
        ...step(
          run.status === 'cancelled' ? t('Cancelled by') : t('Closed by'),
          run.closedBy,
          run.closedAt,
          run.closeReason,
        ),
      ]}
    />
  )
}
