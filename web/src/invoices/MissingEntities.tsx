import { invoiceRoutes } from '@tollgate/contract/invoices/invoices.ts'
import { QueueFailure } from '../api/QueueFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatCount } from '../format/money.ts'
import { moneyPollMs } from '../money/queries.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import type { EntitySubject } from './EntityDialog.tsx'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

/** Says what keeps invoices from being issued. Nothing where nothing is missing. */
export function MissingEntities({ onOpen }: { onOpen: (of: EntitySubject) => void }) {
  const { may } = useSession()
  const missing = useApiQuery(invoiceRoutes.getMissingEntities, {}, { refetchIntervalMs: moneyPollMs })
  if (missing.data === undefined)
    return (
      missing.error && (
        <QueueFailure of={missing} title={t('Failed to fetch which legal entities are missing')} />
      )
    )
  const { isOwnCompanyMissing, clientCount, clients } = missing.data
  return (
    <>
      <RefreshNote of={[missing]} />
      {isOwnCompanyMissing && (
        <Notice tone="warn" title={t('No invoices are issued: our legal entity is missing')}>
          {may('adminSettings') ? (
            <div className="pt-1">
              <Button size="sm" onClick={() => onOpen('own')}>
                {t('Enter our legal entity')}
              </Button>
            </div>
          ) : (
            t('An admin enters it here.')
          )}
        </Notice>
      )}
      {clientCount > 0 && (
        <Notice
          tone="warn"
          title={counted(
            clientCount,
            'The invoices of 1 client wait for its legal entity',
            'The invoices of {count} clients wait for their legal entity',
          )}
        >
          <p>{t('Clients enter it on their page Payment. You can enter it for them:')}</p>
          <div className="flex flex-wrap gap-2 pt-2">
            {clients.map((client) => (
              <Button
                key={client.userId}
                size="sm"
                aria-label={t('Enter legal entity of {userName}', { userName: client.userName })}
                onClick={() => onOpen(client)}
              >
                {client.userName}
              </Button>
            ))}
            {clientCount > clients.length && (
              <span className="self-center text-ink-3">
                {t('and {count} more', { count: formatCount(clientCount - clients.length) })}
              </span>
            )}
          </div>
        </Notice>
      )}
    </>
  )
}
