import { providersRoutes } from '@tollgate/contract/providers/providers.ts'
import { messageOf } from '../api/api-error.ts'
import { useApiQuery } from '../api/use-api.ts'
import { Notice } from '../ui/Notice.tsx'
import { Skeleton } from '../ui/States.tsx'
import { t } from '../language/t.ts'

/** A row as the provider sent it. Reading it leaves an audit entry, since it may contain a message's text. */
export function DeadLetterContent({ params }: { params: { id: string; letterId: string } }) {
  const row = useApiQuery(providersRoutes.showDeadLetter, { params }, { isKept: false })
  if (row.error)
    return (
      <Notice tone="bad" title={t('The row cannot be shown')}>
        {messageOf(row.error)}
      </Notice>
    )
  if (row.data === undefined) return <Skeleton className="h-16 w-full rounded-md" />
  return (
    <div className="space-y-1">
      <pre className="max-h-64 overflow-auto rounded-md bg-surface-2 p-3 font-mono text-xs break-all whitespace-pre-wrap">
        {row.data.row === '' ? t('It was too large to be kept.') : pretty(row.data.row)}
      </pre>
      <p className="text-xs text-ink-3">{t('The audit log records that you looked.')}</p>
    </div>
  )
}

function pretty(text: string): string {
  return JSON.stringify(JSON.parse(text), undefined, 2)
}
