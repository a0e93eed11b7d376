import { reasonSchema } from '@tollgate/contract/billing/debts.ts'
import { subscribersRoutes } from '@tollgate/contract/subscribers/subscribers.ts'
import { z } from 'zod'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { formatPhone } from '../format/phone.ts'
import { ReasonField } from '../ui/Field.tsx'
import { t } from '../language/t.ts'
import { erasurePaths } from './kinds.ts'

const formSchema = z.object({ reason: reasonSchema })

export function EraseDialog({ number, onClose }: { number: string; onClose: () => void }) {
  const form = useApiForm(formSchema, { reason: '' })
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Erase {number}', { number: formatPhone(number) })}
      width="md"
      consequence={t(
        'Once a second admin has approved it, a pseudonym takes the place of the number everywhere but in signed statements. It cannot be taken back.',
      )}
      form={form}
      route={subscribersRoutes.requestErasure}
      refetch={erasurePaths}
      success={t('The erasure waits for a second admin')}
      callOf={({ reason }) => ({ body: { number, reason } })}
      submitLabel={t('Ask for the erasure')}
      tone="danger"
      failure={t('Not asked for')}
    >
      <ReasonField
        hint={t('It is kept, so leave the number out')}
        required
        rows={2}
        {...fieldOf(form, 'reason')}
      />
    </SaveDialog>
  )
}
