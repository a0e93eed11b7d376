import type { RateChange } from '@tollgate/contract/rates/rates.ts'
import type { ReactNode } from 'react'
import { formatDateTime } from '../format/dates.ts'
import { formatRate } from '../format/money.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { PriceTable } from '../ui/PriceTable.tsx'
import { EmptyState } from '../ui/States.tsx'
import { Unfetched } from '../api/FetchFailure.tsx'
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
  if (history.error || !history.data)
    return <Unfetched of={history} title={t('Failed to fetch the history')} className="h-32" />
  if (history.data.length === 0) return <EmptyState title={t('No rate of its own has been set yet')} />
  const prices = history.data.map(({ id, validFrom, setBy, rate }) => ({
    key: id,
    start: isFromStart(validFrom) ? t('From the start') : formatDateTime(validFrom),
    setBy: setBy === '' ? t('System') : setBy,
    price: rate === '' ? t('Removed') : formatRate(rate),
  }))
  return <PriceTable unit={t('Rate')} prices={prices} />
}

/** The first rate of a gateway applies to messages of any age. */
function isFromStart(validFrom: string): boolean {
  return Date.parse(validFrom) <= 0
}
