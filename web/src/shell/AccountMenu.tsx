import { useRouter } from '@tanstack/react-router'
import { CircleUserRound, KeyRound, Languages, Webhook } from 'lucide-react'
import { useSession } from '../api/session.tsx'
import { paths } from '../paths.ts'
import { Menu } from '../ui/Menu.tsx'
import type { AccountTab } from '../users/account/AccountDialog.tsx'
import { AccountButton } from './AccountButton.tsx'
import { t } from '../language/t.ts'

interface AccountMenuProps {
  readonly isRail: boolean
  readonly onAccount: (tab: AccountTab) => void
  readonly startsOpen: boolean
}

/** The person, and what is theirs. */
export function AccountMenu({ isRail, onAccount, startsOpen }: AccountMenuProps) {
  const { may } = useSession()
  const router = useRouter()
  return (
    <Menu
      align="start"
      startsOpen={startsOpen}
      trigger={<AccountButton isRail={isRail} />}
      groups={[
        [
          { label: t('Your account'), icon: CircleUserRound, onSelect: () => onAccount('password') },
          { label: t('Language and preferences'), icon: Languages, onSelect: () => onAccount('preferences') },
        ],
        [
          ...(may('apiKeys')
            ? [{ label: t('API keys'), icon: KeyRound, onSelect: () => onAccount('keys') }]
            : []),
          ...(may('ownEndpoints')
            ? [{ label: t('Webhooks'), icon: Webhook, onSelect: () => router.history.push(paths.webhooks) }]
            : []),
        ],
      ]}
    />
  )
}
