import type { User } from '@tollgate/contract/users/users.ts'
import type { ReactNode } from 'react'
import type { UseMutationResult } from '@tanstack/react-query'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { t } from '../../language/t.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

export interface AssignFrameProps {
  readonly title: string
  /** The numbers, in words. */
  readonly what: string
  readonly description: ReactNode
  /** Who gets them, once all is chosen. */
  readonly user: Pick<User, 'username'> | undefined
  /** What is to be chosen before. */
  readonly hint?: string
  readonly assignment: Pick<UseMutationResult<unknown, Error, never>, 'isPending' | 'error'>
  readonly onAssign: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The dialog that gives numbers a holder. Its fields are the caller's. */
export function AssignFrame(props: AssignFrameProps) {
  const { title, what, description, user, hint, assignment, onAssign, onClose, children } = props
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={description}
      width="md"
      onSubmit={(event) => {
        event.preventDefault()
        onAssign()
      }}
      consequence={
        user
          ? t('{username} earns for {numbers} from then on.', {
              username: user.username,
              numbers: what,
            })
          : (hint ?? t('Choose who holds it from then on.'))
      }
      action={
        <Button
          tone="primary"
          type="submit"
          isDisabled={!user}
          isBusy={assignment.isPending}
          busyLabel={t('Assigning...')}
        >
          {t('Assign')}
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={assignment.error} title={t('Failed to assign number')} />
        {children}
      </div>
    </Dialog>
  )
}
