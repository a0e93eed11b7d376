// Acts on all rows that the filters of a list match, whether they are on screen or not, and undoing such acts.
import {
  numberChangesRoutes,
  userChangesRoutes,
  type BulkChange,
  type BulkUndo,
} from '@tollgate/contract/numbers/bulk-changes.ts'
import type { Route, RouteCall } from '@tollgate/contract/route.ts'
import type { LeftOutReason } from '@tollgate/contract/vocabulary.ts'
import { useState, type ReactNode } from 'react'
import { formatCount } from '../format/money.ts'
import { t } from '../language/t.ts'
import type { Selection } from '../ui/table/column.ts'
import { showToast } from '../ui/toasts.ts'
import { ConfirmMutation } from './ConfirmMutation.tsx'
import { useApiMutation } from './use-api.ts'
import { counted } from '../format/counted.ts'

export interface MatchingSelection {
  readonly selected: ReadonlySet<string>
  readonly select: (ids: ReadonlySet<string>) => void
  readonly clear: () => void
  /** Whether all that match are selected. */
  readonly isAllChosen: boolean
  /** How many match; 0 until it is known. */
  readonly count: number
  /** What the table needs of it. */
  readonly selection: Pick<Selection, 'ids' | 'onChange' | 'matching'>
}

/** The selection of a list that can take all that its filters match. `count` is how many these are, once it is known. */
export function useMatchingSelection(filters: object, count: number | undefined): MatchingSelection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  // The filters whose matches are selected. With others it is no longer true.
  const [matchingKey, setMatchingKey] = useState<string>()
  const filterKey = JSON.stringify(filters)
  const isAllChosen = matchingKey === filterKey && selected.size > 0
  const select = (ids: ReadonlySet<string>) => {
    setSelected(ids)
    setMatchingKey(undefined)
  }
  return {
    selected,
    select,
    clear: () => select(new Set()),
    isAllChosen,
    count: count ?? 0,
    selection: {
      ids: selected,
      onChange: select,
      matching: { count, isChosen: isAllChosen, onChoose: () => setMatchingKey(filterKey) },
    },
  }
}

const leftOutWords: Record<LeftOutReason, (count: string) => string> = {
  same: (count) => t('{same} had the status already.', { same: count }),
  gone: (count) => t('{count} did not match any more.', { count }),
  held: (count) => t('{count} are held by somebody.', { count }),
  suspended: (count) => t('{count} are suspended.', { count }),
  unheld: (count) => t('Nobody held {count}.', { count }),
  answered: (count) => t('{count} were answered already.', { count }),
  ownAccount: () => t('Your own account stays as it is.'),
  adminAccount: (count) => t('{count} are admins, whom only an admin changes.', { count }),
}

/** What was left out of an act, and why. */
function leftOutText(leftOut: BulkChange['leftOut']): readonly string[] {
  return leftOut
    .filter(({ count }) => count > 0)
    .map(({ reason, count }) => leftOutWords[reason](formatCount(count)))
}

/** What was done, and what was left out of it. */
export function withLeftOut(done: string, leftOut: BulkChange['leftOut']): string {
  const left = leftOutText(leftOut)
  return left.length === 0 ? done : [`${done}.`, ...left].join(' ')
}

const undoRoutes = {
  numbers: numberChangesRoutes.undoNumbersChange,
  users: userChangesRoutes.undoUsersChange,
} as const
type UndoKind = keyof typeof undoRoutes

/** The lists that undoing changes, and the log that has it. */
export const undonePaths: Record<UndoKind, readonly string[]> = {
  numbers: [
    '/api/premium-numbers',
    '/api/number-inventory',
    '/api/numbers',
    '/api/ranges',
    '/api/number-requests',
    '/api/audit',
  ],
  users: ['/api/users', '/api/admin/users', '/api/user', '/api/audit'],
}

/** What a toast needs to offer undoing a change; nothing when nothing was changed. */
export type OfferUndo = (changeId: string | null) => { readonly undo?: () => void }

/** Undoes changes of many rows by their ids. */
export function useOfferUndo(of: UndoKind): OfferUndo {
  const { mutate } = useApiMutation(undoRoutes[of], {
    refetch: undonePaths[of],
    failure: t('Failed to undo the change'),
    onSuccess: toastUndone,
  })
  return (changeId) => (changeId === null ? {} : { undo: () => mutate({ params: { id: changeId } }) })
}

function toastUndone({ restoredCount, leftCount }: BulkUndo): void {
  showToast({
    title: t('Change undone'),
    text: [
      counted(restoredCount, '1 is as before.', '{count} are as before.'),
      ...(leftCount > 0
        ? [t('{count} changed since and left alone.', { count: formatCount(leftCount) })]
        : []),
    ].join(' '),
  })
}

interface UndoChangeProps {
  readonly of: UndoKind
  readonly changeId: string
  readonly onClose: () => void
}

/** Asks before a change of many rows is undone, long after its toast has gone. */
export function UndoChange({ of, changeId, onClose }: UndoChangeProps) {
  return (
    <ConfirmMutation
      route={undoRoutes[of]}
      call={{ params: { id: changeId } }}
      title={t('Undo change {changeId}?', { changeId })}
      confirmLabel={t('Undo')}
      refetch={undonePaths[of]}
      failure={t('Failed to undo the change')}
      onClose={onClose}
      onDone={(undone) => {
        onClose()
        toastUndone(undone as BulkUndo)
      }}
    >
      {t('Its rows get back what they had before, except those that were changed since.')}
    </ConfirmMutation>
  )
}

/** A route that changes all rows that a filter matches. */
export type MatchingRoute = Route & {
  readonly response: (typeof userChangesRoutes)['setMatchingUserStatus']['response']
}

interface ConfirmMatchingProps<R extends MatchingRoute> {
  readonly route: R
  readonly body: object
  /** 'Set 250 numbers to Suspended?' */
  readonly title: string
  readonly confirmLabel: string
  readonly busyLabel?: string
  readonly tone?: 'primary' | 'danger'
  readonly refetch: readonly string[]
  readonly failure: string
  readonly offerUndo: OfferUndo
  /** '250 numbers updated successfully'. */
  readonly doneText: (changedCount: number) => string
  readonly onClose: () => void
  readonly onDone: () => void
  /** What becomes of them, and what undoing does not bring back. */
  readonly children?: ReactNode
}

/** Says how many match, then changes them, tells what was left out and offers to undo it. */
export function ConfirmMatching<R extends MatchingRoute>({
  body,
  offerUndo,
  doneText,
  onDone,
  children,
  ...question
}: ConfirmMatchingProps<R>) {
  return (
    <ConfirmMutation
      {...question}
      call={{ body } as RouteCall<R>}
      onDone={(answer) => {
        question.onClose()
        onDone()
        toastChange(answer as BulkChange, doneText, offerUndo)
      }}
    >
      {t('All that the filters match are changed, also those that are not on screen.')} {children}{' '}
      {t('It can be undone for a week, later from the history of one of them.')}
    </ConfirmMutation>
  )
}

/** The toast when all that was chosen was left out. */
export function toastNothingChanged(leftOut: BulkChange['leftOut']): void {
  showToast({ title: t('Nothing was changed'), text: leftOutText(leftOut).join(' '), tone: 'info' })
}

/** The toast after a change: what was done, what was left out, and Undo. */
export function toastChange(
  { changeId, changedCount, leftOut }: BulkChange,
  doneText: (changedCount: number) => string,
  offerUndo: OfferUndo,
): void {
  showToast({
    title: changedCount > 0 ? t('Success') : t('Nothing was changed'),
    text: [...(changedCount > 0 ? [`${doneText(changedCount)}.`] : []), ...leftOutText(leftOut)].join(' '),
    tone: changedCount > 0 ? 'ok' : 'info',
    ...offerUndo(changeId),
  })
}
