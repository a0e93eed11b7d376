import type { RateChange } from '@tollgate/contract/rates/rates.ts'
import type { ReactNode } from 'react'
import { formatDateTime } from '../format/dates.ts'
import { formatRate } from '../format/money.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { EmptyState, Skeleton } from '../ui/States.tsx'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { t } from '../language/t.ts'

interface History {
  readonly data: readonly RateChange[] | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
}

interface RateHistoryDialogProps {
  readonly title: string
  readonly history: History
  readonly onClose: () => void
}

/** The history of a rate: value, start and author, newest first. It is never changed. */
export function RateHistoryDialog({ title, history, onClose }: RateHistoryDialogProps) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={t('A message earns the rate that was in force when it was received.')}
      closeLabel={t('Close')}
      width="md"
    >
      <HistoryBody history={history} />
    </Dialog>
  )
}

function HistoryBody({ history }: { history: History }): ReactNode {
  if (history.error) return <FetchFailure of={history} title={t('Failed to fetch the history')} />
  if (!history.data) return <Skeleton className="h-32" />
  if (history.data.length === 0) return <EmptyState title={t('No rate of its own has been set yet')} />
  return (
    <table className="w-full">
      <thead>
        <tr className="text-xs text-ink-3">
          <th className="pb-2 text-start font-medium">{t('Valid from')}</th>
          <th className="pb-2 text-start font-medium">{t('Set by')}</th>
          <th className="pb-2 text-end font-medium">{t('Rate')}</th>
        </tr>
      </thead>
      <tbody>
        {history.data.map((change) => (
          <tr key={change.id} className="border-t border-line">
            <td className="py-2">
              {isFromStart(change.validFrom) ? t('From the start') : formatDateTime(change.validFrom)}
            </td>
            <td className="py-2">{change.setBy === '' ? t('System') : change.setBy}</td>
            <td className="py-2 text-end">{change.rate === '' ? t('Removed') : formatRate(change.rate)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The first rate of a gateway applies to messages of any age. */
function isFromStart(validFrom: string): boolean {
  return Date.parse(validFrom) <= 0
}
