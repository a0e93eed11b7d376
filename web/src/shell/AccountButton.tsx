import { CircleUserRound } from 'lucide-react'
import type { ComponentProps } from 'react'
import { useUser } from '../api/session.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { roleLabel } from '../users/role-label.ts'
import { t } from '../language/t.ts'

/** The name of the person, and the role. It opens the menu of what is theirs. */
export function AccountButton({ isRail, ...button }: ComponentProps<'button'> & { isRail: boolean }) {
  const { role, username, fullName } = useUser()
  if (isRail)
    return (
      <IconButton
        icon={CircleUserRound}
        label={t('Your account ({role})', { role: roleLabel(role) })}
        side="right"
        {...button}
      />
    )
  return (
    <button
      type="button"
      // The second click of a double click would close the menu.
      onClick={(event) => event.detail > 1 && event.preventDefault()}
      className="-ms-1 min-h-9 min-w-0 rounded-md px-1 text-start text-xs tracking-[-0.01em] text-ink-3 hover:bg-surface-3 pointer-coarse:min-h-11"
      {...button}
    >
      <span className="block truncate text-sm font-medium text-ink">{fullName || username}</span>
      <span className="block truncate">
        {t('Logged in as:')} <strong className="font-medium">{roleLabel(role)}</strong>
        <span className="sr-only">, {t('your account')}</span>
      </span>
    </button>
  )
}
