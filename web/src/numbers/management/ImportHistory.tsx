// The imports that were made, and undoing one as a whole.
import {
  numberImportsRoutes,
  type KeptNumbers,
  type NumberImport,
  type NumberImportDetail,
} from '@tollgate/contract/numbers/import.ts'
import { useState, type ReactNode } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { Unfetched } from '../../api/FetchFailure.tsx'
import { useApiPages, useApiQuery } from '../../api/use-api.ts'
import { byAt } from '../../format/by-at.ts'
import { formatDateTime } from '../../format/dates.ts'
import { formatCount } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { useUndoImport } from './use-undo-import.ts'
import { counted } from '../../format/counted.ts'

/** Earlier imports, newest first; one of them can be looked at and undone. */
export function ImportHistory({ onClose }: { readonly onClose: () => void }) {
  const [chosen, setChosen] = useState<NumberImport>()
  return chosen ? (
    <UndoImportDialog of={chosen} onClose={() => setChosen(undefined)} />
  ) : (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Earlier imports')}
      description={t(
        'Undoing an import removes the numbers that it added and that nothing has happened to since.',
      )}
      closeLabel={t('Close')}
      width="lg"
      isFullOnPhone
    >
      <ImportList onChoose={setChosen} />
    </Dialog>
  )
}

function ImportList({ onChoose }: { readonly onChoose: (row: NumberImport) => void }): ReactNode {
  const list = useApiPages(numberImportsRoutes.listNumberImports)
  if (list.rows === undefined)
    return <Unfetched of={list} title={t('Failed to fetch the imports')} className="h-40" />
  if (list.rows.length === 0) return <EmptyState title={t('Nothing has been imported yet')} />
  return (
    <>
      <ul aria-label={t('Earlier imports')} className="divide-y divide-line border-y border-line">
        {list.rows.map((row) => (
          <ImportLine key={row.id} row={row} onChoose={() => onChoose(row)} />
        ))}
      </ul>
      {list.hasMore && (
        <div className="pt-3 text-center">
          <Button size="sm" isBusy={list.isLoadingMore} busyLabel={t('Loading...')} onClick={list.loadMore}>
            {t('Show more results')}
          </Button>
        </div>
      )}
    </>
  )
}

const nameOf = ({ fileName }: NumberImport): string => (fileName === '' ? t('Pasted text') : fileName)

function ImportLine({ row, onChoose }: { readonly row: NumberImport; readonly onChoose: () => void }) {
  const name = nameOf(row)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5">
      <div className="min-w-0 grow basis-60">
        <p className="truncate font-medium" title={name}>
          {name}
        </p>
        <p className="text-xs text-ink-3">
          {t('{when} by {who}', { when: formatDateTime(row.importedAt), who: row.importedBy })} ·{' '}
          {addedText(row)}
        </p>
        {row.state !== 'imported' && <p className="text-xs text-ink-2">{stateText(row)}</p>}
      </div>
      {row.state !== 'undone' && (
        <Button size="sm" aria-label={t('Undo import of {name}', { name })} onClick={onChoose}>
          {row.state === 'undoing' ? t('Continue undoing') : t('Undo import')}
        </Button>
      )}
    </li>
  )
}

function addedText({ addedCount, lineCount }: NumberImport): string {
  if (addedCount === lineCount) return t('{count} added', { count: formatCount(addedCount) })
  return t('{count} added, {known} were there already', {
    count: formatCount(addedCount),
    known: formatCount(lineCount - addedCount),
  })
}

function stateText({ state, removedCount, undoneAt, undoneBy }: NumberImport): string {
  const removed = formatCount(removedCount)
  if (state === 'undoing') return t('Undoing was interrupted: {removed} removed so far', { removed })
  return t('Undone {when} by {who}: {removed} removed', {
    when: formatDateTime(undoneAt ?? ''),
    who: undoneBy,
    removed,
  })
}

interface UndoImportDialogProps {
  readonly of: NumberImport
  readonly onClose: () => void
}

/** Says what would be removed and what stays before anything is done. */
function UndoImportDialog({ of, onClose }: UndoImportDialogProps) {
  // Not kept, so that each opening has the counts of now.
  const detail = useApiQuery(
    numberImportsRoutes.getNumberImport,
    { params: { id: of.id } },
    { isKept: false },
  )
  const undo = useUndoImport(onClose)
  const count = detail.data?.removableCount ?? 0
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Undo import')}
      description={byAt(nameOf(of), of.importedAt)}
      width="md"
      consequence={t('The digits can be imported again afterwards.')}
      closeLabel={t('Back')}
      action={
        <Button
          tone="danger"
          isDisabled={!detail.data || (count === 0 && of.state === 'imported')}
          isBusy={undo.isPending}
          busyLabel={t('Removing...')}
          onClick={() => undo.mutate({ params: { id: of.id } })}
        >
          {removeLabel(count)}
        </Button>
      }
    >
      {undo.error && (
        <Notice tone="bad" title={t('Failed to undo the import')} isAlert>
          {messageOf(undo.error)}
        </Notice>
      )}
      <WhatHappens detail={detail} />
    </Dialog>
  )
}

function removeLabel(count: number): string {
  if (count === 0) return t('Undo import')
  return counted(count, 'Remove 1 number', 'Remove {count} numbers')
}

interface WhatHappensProps {
  readonly detail: {
    readonly data: NumberImportDetail | undefined
    readonly error: Error | null
    readonly refetch: () => unknown
  }
}

function WhatHappens({ detail }: WhatHappensProps): ReactNode {
  if (detail.error || !detail.data)
    return <Unfetched of={detail} title={t('Failed to fetch the import')} className="h-24" />
  const { removableCount, addedCount, kept } = detail.data
  return (
    <div className="space-y-3">
      <p>
        {removableCount === 0
          ? t('None of the {added} imported numbers can be removed.', { added: formatCount(addedCount) })
          : t(
              '{count} of {added} imported numbers will be removed. Messages to them will be refused from then on.',
              {
                count: formatCount(removableCount),
                added: formatCount(addedCount),
              },
            )}
      </p>
      {kept.length > 0 && (
        <section aria-label={t('What stays as it is')} className="space-y-2">
          <h3 className="font-semibold">{t('What stays as it is')}</h3>
          <ul className="space-y-2">
            {kept.map((one) => (
              <KeptLine key={one.reason} of={one} />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

const keptTexts: Readonly<Record<KeptNumbers['reason'], string>> = {
  assigned: t('held by a client, now or before'),
  traffic: t('with messages'),
  changed: t('changed after the import'),
  deleted: t('deleted already'),
}

function KeptLine({ of: { reason, count, numbers } }: { readonly of: KeptNumbers }) {
  return (
    <li>
      <span className="font-medium">{formatCount(count)}</span> {keptTexts[reason]}
      {numbers.length > 0 && (
        <p className="text-xs text-ink-3">
          {numbers.map((number) => (
            <span key={number} className="phone-number me-3 inline-block">
              {formatPhone(number)}
            </span>
          ))}
          {count > numbers.length && t('and {count} more', { count: formatCount(count - numbers.length) })}
        </p>
      )}
    </li>
  )
}
