import type { User } from '@tollgate/contract/users/users.ts'
import { CredentialsDialog } from './CredentialsDialog.tsx'
import { RemoveFactorDialog } from './RemoveFactorDialog.tsx'
import { ResetLinkDialog } from './ResetLinkDialog.tsx'
import { SmppProfileDialog } from './SmppProfileDialog.tsx'
import { AddUserDialog, EditUserDialog } from './UserDialogs.tsx'
import { UserSessionsDialog } from './UserSessionsDialog.tsx'

export type UserAction =
  | { readonly kind: 'add' }
  | {
      readonly kind: 'edit' | 'credentials' | 'profile' | 'sessions' | 'factor' | 'reset'
      readonly user: User
    }

interface UserActionDialogProps {
  readonly dialog: UserAction
  readonly rows: readonly User[] | undefined
  readonly onClose: () => void
}

/** The dialog of an action on an account. */
export function UserActionDialog({ dialog, rows, onClose }: UserActionDialogProps) {
  if (dialog.kind === 'add') return <AddUserDialog onClose={onClose} />
  if (dialog.kind === 'factor') return <RemoveFactorDialog user={dialog.user} onClose={onClose} />
  if (dialog.kind === 'sessions') return <UserSessionsDialog user={dialog.user} onClose={onClose} />
  if (dialog.kind === 'profile') return <SmppProfileDialog user={dialog.user} onClose={onClose} />
  if (dialog.kind === 'reset') return <ResetLinkDialog user={dialog.user} onClose={onClose} />
  if (dialog.kind === 'credentials') return <CredentialsDialog user={dialog.user} onClose={onClose} />
  const latest = rows?.find((user) => user.id === dialog.user.id)
  return <EditUserDialog opened={dialog.user} latest={latest} onClose={onClose} />
}
