// Offers to withdraw keys and SMPP credentials, which work without the password, wherever a password is replaced.
import type { apiKeySchema } from '@tollgate/contract/users/users.ts'
import type { z } from 'zod'
import { formatDateTime } from '../format/dates.ts'
import { Checkbox } from '../ui/Checkbox.tsx'
import { t } from '../language/t.ts'
import { tNodes } from '../language/t-nodes.tsx'

type OfferedKey = Pick<z.infer<typeof apiKeySchema>, 'id' | 'name' | 'prefix' | 'lastUsedAt'>

/** What is withdrawn, in the form of the API. */
export interface Withdrawal {
  readonly withdrawKeys: readonly string[]
  readonly renewSmppCredentials: boolean
}

export const nothingWithdrawn: Withdrawal = { withdrawKeys: [], renewSmppCredentials: false }

interface WithdrawAccessProps {
  readonly keys: readonly OfferedKey[]
  readonly hasSmppAccess: boolean
  readonly value: Withdrawal
  readonly onChange: (next: Withdrawal) => void
}

/**
 * Nothing if there is nothing to withdraw. Unchecked by default, so that a forgotten password does not stop working
 * programs.
 */
export function WithdrawAccess({ keys, hasSmppAccess, value, onChange }: WithdrawAccessProps) {
  if (keys.length === 0 && !hasSmppAccess) return null
  const toggle = (id: string, isChosen: boolean) =>
    onChange({
      ...value,
      withdrawKeys: isChosen ? [...value.withdrawKeys, id] : value.withdrawKeys.filter((key) => key !== id),
    })
  return (
    <fieldset className="space-y-1">
      <legend className="text-xs font-medium text-ink-2">
        {t('Also opens your account, without the password')}
      </legend>
      <p className="pb-1 text-xs text-ink-3">
        {t('Withdraw what you do not know, or all of it if somebody else may have had your password.')}
      </p>
      {keys.map((key) => (
        <div key={key.id}>
          <Checkbox
            label={
              <span className="block min-w-0 py-0.5">
                {tNodes('Revoke the API key {name}', {
                  name: <span className="font-medium">{key.name || `${key.prefix}…`}</span>,
                })}
                <span className="block text-xs text-ink-3">
                  {key.lastUsedAt === null
                    ? t('Never used')
                    : t('Last used {lastUsedAt}', { lastUsedAt: formatDateTime(key.lastUsedAt) })}
                </span>
              </span>
            }
            checked={value.withdrawKeys.includes(key.id)}
            onChange={(event) => toggle(key.id, event.target.checked)}
          />
        </div>
      ))}
      {hasSmppAccess && (
        <Checkbox
          label={
            <span className="block py-0.5">
              {t('Generate a new SMPP password')}
              <span className="block text-xs text-ink-3">
                {t('Bound sessions are disconnected within 5 s')}
              </span>
            </span>
          }
          checked={value.renewSmppCredentials}
          onChange={(event) => onChange({ ...value, renewSmppCredentials: event.target.checked })}
        />
      )}
    </fieldset>
  )
}
