// Asks before an account becomes one of staff: a slip in a menu would hand over everybody's numbers and money.
import { booksRoutes } from '@tollgate/contract/books/books.ts'
import { numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { useState } from 'react'
import { useApiQuery } from '../api/use-api.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { Pairs } from '../ui/Card.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { t } from '../language/t.ts'

type StaffRole = Extract<Role, 'admin' | 'support'>

const powers: Readonly<Record<StaffRole, string>> = {
  admin: t(
    'An admin may do everything: accounts and roles, rates and settings, payments, connections and the audit log.',
  ),
  support: t(
    'Support sees the numbers, messages and money of everybody, and changes accounts, numbers, requests and payments.',
  ),
}

/** Whether a role is one of staff that has to be asked about. */
export const isStaffRole = (role: Role | undefined): role is StaffRole =>
  role === 'admin' || role === 'support'

interface StaffRoleQuestionProps {
  /** Absent when the account is only being made. */
  readonly user?: Pick<User, 'id' | 'smppAccess' | 'hasSecondFactor'> | undefined
  readonly username: string
  readonly role: StaffRole
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function StaffRoleQuestion({ user, username, role, onConfirm, onClose }: StaffRoleQuestionProps) {
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={
        role === 'admin'
          ? t('Make {username} an admin?', { username })
          : t('Make {username} support?', { username })
      }
      confirmLabel={role === 'admin' ? t('Make admin') : t('Make support')}
      onConfirm={onConfirm}
    >
      <div className="space-y-3">
        <p>{powers[role]}</p>
        {user && <AccountFacts user={user} />}
      </div>
    </ConfirmDialog>
  )
}

/** What the account holds, so that another person's row is not taken for it. */
function AccountFacts({ user }: { readonly user: NonNullable<StaffRoleQuestionProps['user']> }) {
  const numbers = useApiQuery(numbersRoutes.summariseAccountNumbers, { query: { holderId: user.id } })
  const account = useApiQuery(booksRoutes.getAccount, { params: { id: user.id } })
  return (
    <Pairs
      items={[
        { label: t('Numbers'), value: formatCount(numbers.data?.count) },
        { label: t('Owed to it'), value: formatUsdt(account.data?.balance) },
        { label: t('SMPP Access'), value: user.smppAccess ? t('Yes') : t('No') },
        { label: t('Second Factor'), value: user.hasSecondFactor ? t('Yes') : t('No') },
      ]}
    />
  )
}

/** The question as what comes before a form with a role is sent. It stands beside that form, which its own would submit too. */
export function useStaffRoleQuestion(
  { user, username, role }: Pick<StaffRoleQuestionProps, 'user' | 'username'> & { role: Role | undefined },
  isRise: boolean,
) {
  const [goOn, setGoOn] = useState<() => void>()
  return {
    before: { isDue: isRise, isPending: false, run: (next: () => void) => setGoOn(() => next) },
    question: goOn && isStaffRole(role) && (
      <StaffRoleQuestion
        {...{ user, username, role }}
        onClose={() => setGoOn(undefined)}
        onConfirm={() => {
          setGoOn(undefined)
          goOn()
        }}
      />
    ),
  }
}
