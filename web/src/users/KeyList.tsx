import type { userKeysRoutes } from '@tollgate/contract/users/user-keys.ts'
import type { apiKeySchema, usersRoutes } from '@tollgate/contract/users/users.ts'
import type { KeyScope } from '@tollgate/contract/vocabulary.ts'
import { Trash2 } from 'lucide-react'
import { useState, type ComponentProps } from 'react'
import type { z } from 'zod'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { formatDateTime } from '../format/dates.ts'
import { t } from '../language/t.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { EmptyState } from '../ui/States.tsx'

type ApiKey = z.infer<typeof apiKeySchema>

export const scopeLabels: Record<KeyScope, string> = {
  'records:read': t('Read SMS records'),
  'texts:read': t('Read message texts'),
  'events:read': t('Listen to the live feed'),
  'messages:send': t('Send messages'),
  'traffic:read': t('Read own SMPP traffic and binds'),
  'webhooks:manage': t('Test, pause and replay webhooks'),
}

function nameOf(key: ApiKey): string {
  return key.name === '' ? key.prefix : key.name
}

function lastUseOf({ lastUsedAt, lastUsedAddress, lastUsedBy }: ApiKey): string {
  if (lastUsedAt === null) return t('Never used')
  return [
    t('Last used {time}', { time: formatDateTime(lastUsedAt) }),
    lastUsedAddress ?? '',
    lastUsedBy ?? '',
  ]
    .filter((part) => part !== '')
    .join(' · ')
}

interface KeyListProps {
  readonly keys: readonly ApiKey[]
  /** What withdraws the key with this id. */
  readonly withdrawal: (
    id: string,
  ) => Pick<
    ComponentProps<
      typeof ConfirmMutation<typeof usersRoutes.deleteKey | typeof userKeysRoutes.withdrawUserKey>
    >,
    'route' | 'call' | 'refetch'
  >
  readonly onWithdrawn?: (id: string) => void
}

/** API keys: what each may do, when and by what it was last used, and a button that withdraws it. */
export function KeyList({ keys, withdrawal, onWithdrawn }: KeyListProps) {
  const [deleting, setDeleting] = useState<ApiKey>()
  if (keys.length === 0) return <EmptyState title={t('No API keys yet')} />
  return (
    <>
      <ul aria-label={t('API keys')} className="divide-y divide-line border-t border-line">
        {keys.map((key) => (
          <li key={key.id} className="flex items-start justify-between gap-3 py-2.5">
            <div className="min-w-0">
              <p className="truncate font-medium">{nameOf(key)}</p>
              <p className="text-xs text-ink-3">
                <span className="font-mono">{key.prefix}…</span>{' '}
                {key.scopes.map((scope) => scopeLabels[scope]).join(', ')}
              </p>
              <p className="text-xs text-ink-3">
                {t('Made {createdAt}.', { createdAt: formatDateTime(key.createdAt) })} {lastUseOf(key)}
              </p>
            </div>
            <IconButton
              icon={Trash2}
              label={t('Delete {key}', { key: nameOf(key) })}
              onClick={() => setDeleting(key)}
            />
          </li>
        ))}
      </ul>
      {deleting && (
        <ConfirmMutation
          onClose={() => setDeleting(undefined)}
          onDone={() => {
            onWithdrawn?.(deleting.id)
            setDeleting(undefined)
          }}
          title={t('Delete {deleting}?', { deleting: nameOf(deleting) })}
          {...withdrawal(deleting.id)}
          success={t('API key deleted')}
          failure={t('Failed to delete the API key')}
          confirmLabel={t('Delete')}
          busyLabel={t('Deleting...')}
        >
          {t('Programs that use this key are refused from now on.')}
        </ConfirmMutation>
      )}
    </>
  )
}
