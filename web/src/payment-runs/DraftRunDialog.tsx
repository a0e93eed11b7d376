import {
  paymentRunRoutes,
  runDebtsMax,
  type DraftLine,
  type RunDraft,
} from '@tollgate/contract/payment-runs/payment-runs.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { useState } from 'react'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatUsdt } from '../format/money.ts'
import { formatSentences } from '../format/sentences.ts'
import { moneyPaths } from '../money/queries.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Checkbox.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextField } from '../ui/Field.tsx'
import { EmptyState, Skeleton } from '../ui/States.tsx'
import { PayeeFacts } from './PayeeFacts.tsx'
import { transferCount } from './RunParts.tsx'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

interface DraftRunDialogProps {
  /** The bills and payouts that somebody selected; all that wait without them. */
  readonly references?: readonly string[]
  readonly onClose: () => void
  readonly onDrafted: (id: string) => void
}

const keyOf = ({ debts }: DraftLine) => debts[0]?.reference ?? ''

/** Chooses who is paid. At first that is everything that can be paid, the oldest debts first, as far as one run reaches. */
export function DraftRunDialog({ references: selected, onClose, onDrafted }: DraftRunDialogProps) {
  // Not kept, so that each opening has the amounts of now, and not read again while somebody chooses.
  const draft = useApiQuery(
    paymentRunRoutes.draftRun,
    selected === undefined ? {} : { query: { references: selected.join(',') } },
    { isKept: false },
  )
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [note, setNote] = useState('')
  const create = useApiMutation(paymentRunRoutes.createRun, {
    refetch: moneyPaths,
    failure: false,
    success: { title: t('Payment run drafted'), text: t('A second person approves it.') },
    onSuccess: ({ id }) => onDrafted(id),
  })
  const ready = draft.data?.lines.filter(({ problem }) => problem === '') ?? []
  const reached = reachOf(ready)
  const isChosen = (line: DraftLine) => reached.has(keyOf(line)) !== toggled.has(keyOf(line))
  const chosen = ready.filter(isChosen)
  const references = chosen.flatMap(({ debts }) => debts.map(({ reference }) => reference))
  const sum = chosen.reduce((total, { amount }) => total + (parseMicro(amount) ?? 0n), 0n)
  const toggle = (line: DraftLine) => {
    const next = new Set(toggled)
    if (!next.delete(keyOf(line))) next.add(keyOf(line))
    setToggled(next)
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('New payment run')}
      description={t('Who is paid, how much, and where to. Nothing leaves the wallet yet.')}
      width="lg"
      isFullOnPhone
      isDirty={note !== '' || toggled.size > 0}
      consequence={
        references.length > runDebtsMax
          ? t('A run pays at most {runDebtsMax} bills and payouts. Leave some out.', { runDebtsMax })
          : t(
              'A second person approves the run. Its debts are not paid by hand meanwhile. It can be cancelled until its file is made.',
            )
      }
      action={
        <Button
          tone="primary"
          isDisabled={chosen.length === 0 || references.length > runDebtsMax}
          isBusy={create.isPending}
          busyLabel={t('Saving...')}
          onClick={() => create.mutate({ body: { references, note } })}
        >
          {t('Draft {count}', { count: transferCount(chosen.length) })}
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={create.error} title={t('Payment run not drafted')} />
        {draft.error && !draft.data && (
          <FetchFailure of={draft} title={t('Failed to fetch what can be paid')} />
        )}
        {draft.isPending && <Skeleton className="h-40 w-full" />}
        {draft.data && (
          <>
            <p className="flex flex-wrap items-baseline justify-between gap-x-4">
              <span className="text-lg font-semibold">{formatUsdt(formatMicro(sum, 2))}</span>
              <span className="text-ink-3">{rulesOf(draft.data)}</span>
            </p>
            {ready.length === 0 ? (
              <EmptyState title={t('Nothing can be paid now')}>
                {t('Below is what is waiting, and for what.')}
              </EmptyState>
            ) : (
              <ul
                aria-label={t('Transfers of the run')}
                className="divide-y divide-line rounded-lg border border-line"
              >
                {ready.map((line) => (
                  <li key={keyOf(line)} className="flex items-start gap-3 px-3 py-2.5">
                    <Checkbox
                      label={t('Pay {userName} {amount}', {
                        userName: line.userName,
                        amount: formatUsdt(line.amount),
                      })}
                      isLabelHidden
                      checked={isChosen(line)}
                      onChange={() => toggle(line)}
                    />
                    <PayeeFacts payee={line} />
                  </li>
                ))}
              </ul>
            )}
            <LeftOut lines={draft.data.lines.filter(({ problem }) => problem !== '')} />
            <TextField
              label={t('Note')}
              maxLength={200}
              autoComplete="off"
              hint={t('Optional: what this run is, for those who approve and look it up later')}
              value={note}
              onChange={(event) => setNote(event.target.value)}
            />
          </>
        )}
      </div>
    </Dialog>
  )
}

/** The first lines whose debts fit into one run. */
function reachOf(lines: readonly DraftLine[]): ReadonlySet<string> {
  let count = 0
  return new Set(lines.filter(({ debts }) => (count += debts.length) <= runDebtsMax).map(keyOf))
}

function rulesOf({ minimum, isBundled, isNetted }: RunDraft): string {
  return [
    isBundled ? t('one transfer a client') : t('one transfer a debt'),
    ...(isNetted ? [t('credit set off')] : []),
    ...(minimum === '0.00' ? [] : [t('from {minimum} on', { minimum: formatUsdt(minimum) })]),
  ].join(', ')
}

/** What cannot be paid now, and why. */
function LeftOut({ lines }: { lines: readonly DraftLine[] }) {
  if (lines.length === 0) return null
  return (
    <details>
      <summary className="cursor-pointer text-ink-2">
        {counted(lines.length, '1 is not in it', '{count} are not in it')}
      </summary>
      <ul className="max-h-56 space-y-1.5 overflow-y-auto pt-2">
        {lines.map((line) => (
          <li key={keyOf(line)} className="text-xs">
            <bdi className="font-medium">{line.userName}</bdi> <bdi>{formatUsdt(line.amount)}</bdi>{' '}
            <span className="text-ink-3">
              <bdi>{line.debts.map(({ reference }) => reference).join(', ')}</bdi>:{' '}
              {formatSentences(line.problemWords)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
