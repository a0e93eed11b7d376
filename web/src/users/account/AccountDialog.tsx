import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession, useUser } from '../../api/session.tsx'
import { paths } from '../../paths.ts'
import { buttonClass } from '../../ui/Button.tsx'
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

type AccountTab = 'preferences' | 'password' | 'factor' | 'sessions' | 'keys' | 'webhooks' | 'smpp'

interface AccountProps {
  readonly onClose: () => void
  /** Opens the tab Second factor. */
  readonly isFactorFirst?: boolean
}

/** What people change in their own account: password, second factor, sessions, and how their programs reach it. */
export function AccountDialog({ onClose, isFactorFirst = false }: AccountProps) {
  const user = useUser()
  const { may } = useSession()
  const [tab, setTab] = useState<AccountTab>(isFactorFirst ? 'factor' : 'password')
  const tabs: readonly Tab<AccountTab>[] = [
    { value: 'password', label: t('Password'), content: <PasswordTab /> },
    { value: 'factor', label: t('Second factor'), content: <SecondFactorTab /> },
    { value: 'sessions', label: t('Sessions'), content: <SessionsTab /> },
    { value: 'preferences', label: t('Preferences'), content: <PreferencesTab /> },
    ...(may('apiKeys') ? [{ value: 'keys' as const, label: t('API keys'), content: <KeysTab /> }] : []),
    ...(may('ownEndpoints')
      ? [{ value: 'webhooks' as const, label: t('Webhooks'), content: <WebhooksLink onFollow={onClose} /> }]
      : []),
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

/** Webhooks need the width of a page. */
function WebhooksLink({ onFollow }: { onFollow: () => void }) {
  return (
    <div className="space-y-4">
      <p>
        {t(
          'Your programs can be notified of messages, delivery reports, bills, payments and number requests as they come, by signed HTTP requests to addresses of yours.',
        )}
      </p>
      <Link to={paths.webhooks} onClick={onFollow} className={buttonClass()}>
        {t('Open Webhooks')}
      </Link>
    </div>
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
