import { ConfirmDialog } from './ConfirmDialog.tsx'
import { t } from '../language/t.ts'

interface LeaveQuestionProps {
  readonly onStay: () => void
  readonly onLeave: () => void
}

/** Asks before what is not saved is dropped. */
export function LeaveQuestion({ onStay, onLeave }: LeaveQuestionProps) {
  return (
    <ConfirmDialog
      isOpen
      onClose={onStay}
      title={t('Leave without saving?')}
      cancelLabel={t('Stay')}
      confirmLabel={t('Discard')}
      onConfirm={onLeave}
    >
      {t('Something here is not saved yet.')}
    </ConfirmDialog>
  )
}
