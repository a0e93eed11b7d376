// Adds or changes an account.
import { editUserSchema, registerSchema, usersRoutes, type User } from '@tollgate/contract/users/users.ts'
import { useSession } from '../api/session.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import type { RouteAnswer } from '@tollgate/contract/route.ts'
import { useState } from 'react'
import { PasswordField } from '../ui/Field.tsx'
import { SaveDialog, type EditDialogProps } from '../api/SaveDialog.tsx'
import { NewAccountDialog } from './NewAccountDialog.tsx'
import { userPaths } from './queries.ts'
import { isStaffRole, useStaffRoleQuestion } from './StaffRoleQuestion.tsx'
import { offeredRoles, UserFields, type PersonForm } from './UserFields.tsx'
import { AccountStatusField } from '../ui/account-status.tsx'
import { t } from '../language/t.ts'

// The two forms have more fields, but register the shared ones under the same names.
const asPersonForm = (form: unknown) => form as PersonForm

interface AddUserDialogProps {
  /** Whether the form begins with SMPP access, for a supplier. */
  readonly smppAccess?: boolean
  readonly onClose: () => void
}

export function AddUserDialog({ smppAccess = false, onClose }: AddUserDialogProps) {
  const [made, setMade] = useState<RouteAnswer<typeof usersRoutes.register>>()
  const { user: viewer } = useSession()
  const isAdmin = viewer?.role === 'admin'
  // Spec §9: the defaults of a new user.
  const form = useApiForm(registerSchema, {
    username: '',
    password: '',
    email: '',
    firstName: '',
    lastName: '',
    ...(isAdmin && { role: 'user' as const }),
    smppAccess,
    maxConnections: 5,
  })
  const [username, role] = form.watch(['username', 'role'])
  const { before, question } = useStaffRoleQuestion({ username, role }, isStaffRole(role))
  if (made?.invitation) return <NewAccountDialog user={made} invitation={made.invitation} onClose={onClose} />
  return (
    <>
      <SaveDialog
        onClose={onClose}
        title={t('Add User')}
        description={t('The person chooses a password by a link that works once.')}
        width="md"
        form={form}
        route={usersRoutes.register}
        // Without a session it would be a sign-up, which signs the newcomer in.
        isSignedInOnly
        refetch={userPaths}
        success={t('User added successfully')}
        // What is shown once stays on screen until it was read.
        onSaved={(user) => (user.invitation ? setMade(user) : onClose())}
        callOf={(body) => ({ body })}
        submitLabel={t('Add User')}
        failure={t('Failed to add user')}
        before={before}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <UserFields form={asPersonForm(form)} hasRole={isAdmin}>
            <PasswordField
              label={t('Password')}
              autoComplete="new-password"
              hint={t('Leave empty: a link is shown once, and mailed where mail is set up')}
              {...fieldOf(form, 'password')}
            />
          </UserFields>
        </div>
      </SaveDialog>
      {question}
    </>
  )
}

function userFormValues(user: User, isAdmin: boolean) {
  const { username, email, firstName, lastName, role, status, smppAccess, maxConnections, version } = user
  const isOffered = (offeredRoles as readonly string[]).includes(role)
  return {
    username,
    email,
    firstName,
    lastName,
    status,
    smppAccess,
    maxConnections,
    version,
    ...(isAdmin && isOffered && { role }),
  }
}

export function EditUserDialog({ opened, latest, onClose }: EditDialogProps<User>) {
  const { user: viewer } = useSession()
  const isSelf = viewer?.id === opened.id
  const isAdmin = viewer?.role === 'admin' && !isSelf
  const form = useApiForm(editUserSchema, userFormValues(opened, isAdmin))
  const role = form.watch('role')
  const { dirtyFields } = form.formState
  const user = latest ?? opened
  // Only a role that was chosen here is asked about, not one that somebody else has changed meanwhile.
  const { before, question } = useStaffRoleQuestion(
    { user, username: user.username, role },
    isStaffRole(role) && dirtyFields.role === true,
  )
  return (
    <>
      <SaveDialog
        onClose={onClose}
        title={t('Edit User')}
        description={opened.username}
        width="md"
        consequence={t('Suspending an account or removing its SMPP access disconnects its binds within 5 s.')}
        form={form}
        route={usersRoutes.editUser}
        refetch={userPaths}
        success={t('User updated successfully')}
        callOf={(body) => ({ params: { id: opened.id }, body })}
        submitLabel={t('Save Changes')}
        failure={t('Failed to update user')}
        saved={latest && userFormValues(latest, isAdmin)}
        before={before}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <UserFields
            form={asPersonForm(form)}
            hasRole={isAdmin && (offeredRoles as readonly string[]).includes(opened.role)}
          />
          {!isSelf && <AccountStatusField {...fieldOf(form, 'status')} />}
        </div>
      </SaveDialog>
      {question}
    </>
  )
}
