// Adds, changes or deletes a premium number.
import { tariffInputSchema } from '@tollgate/contract/money.ts'
import {
  numbersRoutes,
  premiumNumberInputSchema,
  type PremiumNumber,
} from '@tollgate/contract/numbers/numbers.ts'
import { useApiForm } from '../../api/use-api-form.ts'
import { formatTariff } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { PriceStepNotice, usePriceStep } from '../../money/price-step.tsx'
import { numberPaths } from '../queries.ts'
import { ConfirmMutation } from '../../api/ConfirmMutation.tsx'
import { SaveDialog, type EditDialogProps } from '../../api/SaveDialog.tsx'
import { emptyNumber, numberFormValues, NumberFields } from './NumberFields.tsx'
import { t } from '../../language/t.ts'

interface AddNumberDialogProps {
  /** The number that the form begins with. */
  readonly number?: string
  /** Lists of other slices that show the number. */
  readonly alsoRefetch?: readonly string[]
  readonly onClose: () => void
}

export function AddPremiumNumberDialog({ number = '', alsoRefetch = [], onClose }: AddNumberDialogProps) {
  const form = useApiForm(premiumNumberInputSchema, { ...emptyNumber, number })
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Add Premium Number')}
      description={t('Messages to it are taken from the moment it is saved.')}
      width="md"
      consequence={t('Has no price of its own: what it earns goes into the weekly bill of whoever holds it.')}
      form={form}
      route={numbersRoutes.createPremiumNumber}
      refetch={[...numberPaths, ...alsoRefetch]}
      success={t('Number added successfully')}
      callOf={(body) => ({ body })}
      submitLabel={t('Add Number')}
      failure={t('Failed to add number')}
    >
      <NumberFields form={form} />
    </SaveDialog>
  )
}

export function EditNumberDialog({ opened, latest, onClose }: EditDialogProps<PremiumNumber>) {
  const form = useApiForm(premiumNumberInputSchema, numberFormValues(opened))
  const tariff = String(form.watch('rate') ?? '')
  const step = usePriceStep((latest ?? opened).rate, tariff, tariffInputSchema)
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Edit Number')}
      description={<span className="phone-number">{formatPhone(opened.number)}</span>}
      width="md"
      consequence={t('Records already stored keep the rate they were stored with.')}
      form={form}
      isDisabled={step.mustConfirm}
      route={numbersRoutes.replacePremiumNumber}
      refetch={numberPaths}
      success={t('Number updated successfully')}
      callOf={(body) => ({ params: { id: opened.id }, body })}
      submitLabel={t('Save Changes')}
      failure={t('Failed to update number')}
      saved={latest && numberFormValues(latest)}
    >
      <NumberFields form={form} />
      <PriceStepNotice step={step} price={formatTariff(tariff)} />
    </SaveDialog>
  )
}

interface DeleteNumberDialogProps {
  readonly number: PremiumNumber
  readonly onClose: () => void
}

export function DeleteNumberDialog({ number, onClose }: DeleteNumberDialogProps) {
  const shown = formatPhone(number.number)
  return (
    <ConfirmMutation
      onClose={onClose}
      title={t('Delete {shown}?', { shown })}
      typed={{ word: shown, label: t('Type the number to confirm') }}
      route={numbersRoutes.deletePremiumNumber}
      refetch={numberPaths}
      success={t('Number deleted successfully')}
      failure={t('Failed to delete number')}
      call={{ params: { id: number.id } }}
      confirmLabel={t('Delete')}
      busyLabel={t('Deleting...')}
    >
      {t(
        'Messages to it will be refused from now on, and whoever holds it loses it. Its records and their bills stay.',
      )}
    </ConfirmMutation>
  )
}
