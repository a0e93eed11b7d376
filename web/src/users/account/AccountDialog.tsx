import { useState } from 'react'
import { useSession, useUser } from '../../api/session.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { GuardedTabs } from '../../ui/GuardedTabs.tsx'
import type { Tab } from '../../ui/Tabs.tsx'
import { SmppCredentials, RenewCredentials } from '../Credentials.tsx'
import { SecondFactorTab } from './factor/SecondFactorTab.tsx'
import { KeysTab } from './KeysTab.tsx'
import { PasswordTab } from './PasswordTab.tsx'
import { PreferencesTab } from './PreferencesTab.tsx'
import { SessionsTab } from './SessionsTab.tsx'
import { t } from '../../language/t.ts'

export type AccountTab = 'preferences' | 'password' | 'factor' | 'sessions' | 'keys' | 'smpp'

interface AccountProps {
  readonly onClose: () => void
  /** The tab to open. */
  readonly first?: AccountTab
}

/** What people change in their own account: password, second factor, sessions, and how their programs reach it. */
export function AccountDialog({ onClose, first = 'password' }: AccountProps) {
  const user = useUser()
  const { may } = useSession()
  const [tab, setTab] = useState<AccountTab>(first)
  const tabs: readonly Tab<AccountTab>[] = [
    { value: 'password', label: t('Password'), content: <PasswordTab /> },
    { value: 'factor', label: t('Second factor'), content: <SecondFactorTab /> },
    { value: 'sessions', label: t('Sessions'), content: <SessionsTab /> },
    { value: 'preferences', label: t('Preferences'), content: <PreferencesTab /> },
    ...(may('apiKeys') ? [{ value: 'keys' as const, label: t('API keys'), content: <KeysTab /> }] : []),
    ...(user.smppAccess
      ? [{ value: 'smpp' as const, label: t('SMPP'), content: <OwnSmppCredentials user={user} /> }]
      : []),
  ]
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Your account')}
      description={[user.fullName, user.username, user.email].filter((word) => word !== '').join(' · ')}
      closeLabel={t('Close')}
      width="md"
      isFullOnPhone
    >
      <GuardedTabs label={t('Your account')} value={tab} onChange={setTab} tabs={tabs} />
    </Dialog>
  )
}

function OwnSmppCredentials({ user }: { user: { id: number; username: string } }) {
  return (
    <div className="space-y-4">
      <SmppCredentials user={user} />
      <RenewCredentials user={user} />
    </div>
  )
}
