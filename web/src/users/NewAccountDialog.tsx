import type { Invitation, User } from '@tollgate/contract/users/users.ts'
import { formatDateTime } from '../format/dates.ts'
import { joined, t } from '../language/t.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { SmppCredentials } from './Credentials.tsx'
import { NewLink } from './ResetLinkDialog.tsx'

interface NewAccountDialogProps {
  readonly user: Pick<User, 'id' | 'username' | 'email' | 'smppAccess'>
  readonly invitation: Invitation
  readonly onClose: () => void
}

/** What to hand to the person of a new account: the link to its password, and what a supplier binds with. */
export function NewAccountDialog({ user, invitation, onClose }: NewAccountDialogProps) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Hand over the account')}
      description={user.username}
      closeLabel={t('Close')}
      width="md"
    >
      <div className="space-y-4">
        <NewLink path={invitation.path} username={user.username} />
        <p className="text-ink-2">
          {joined(
            t('It works once, until {expiresAt}.', { expiresAt: formatDateTime(invitation.expiresAt) }),
            invitation.isMailed && t('It is mailed to {email}, too.', { email: user.email }),
          )}
        </p>
        {user.smppAccess && <SmppCredentials user={user} />}
      </div>
    </Dialog>
  )
}
