import { ConfirmDialog } from './ConfirmDialog.tsx'
import { t } from '../language/t.ts'

interface LeaveQuestionProps {
  readonly onStay: () => void
  readonly onLeave: () => void
}

/** Asks before what was typed is dropped. */
export function LeaveQuestion({ onStay, onLeave }: LeaveQuestionProps) {
  return (
    <ConfirmDialog
      isOpen
      onClose={onStay}
      title={t('Leave without saving?')}
      cancelLabel={t('Keep editing')}
      confirmLabel={t('Discard')}
      onConfirm={onLeave}
    >
      {t('What you typed here is not saved yet.')}
    </ConfirmDialog>
  )
}
