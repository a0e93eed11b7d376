import type { User } from '@tollgate/contract/users/users.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { SmppCredentials, RenewCredentials } from './Credentials.tsx'
import { t } from '../language/t.ts'

interface CredentialsDialogProps {
  readonly user: Pick<User, 'id' | 'username'>
  readonly onClose: () => void
}

/** The SMPP credentials of another person, for staff. */
export function CredentialsDialog({ user, onClose }: CredentialsDialogProps) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('SMPP credentials')}
      description={user.username}
      closeLabel={t('Close')}
      width="sm"
      action={<RenewCredentials user={user} />}
    >
      <SmppCredentials user={user} />
    </Dialog>
  )
}
