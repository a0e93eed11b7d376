// Adds a number with its own price, changes its inventory entry, or unassigns it.
import {
  inventoryInputSchema,
  inventoryRoutes,
  type InventoryItem,
} from '@tollgate/contract/numbers/inventory.ts'
import { fieldOf, useApiForm } from '../../api/use-api-form.ts'
import { formatRate } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { PriceStepNotice, usePriceStep } from '../../money/price-step.tsx'
import { RateStartField, rateSaved } from '../../money/RateStartField.tsx'
import { rateStartSchema } from '../../money/rate-start.ts'
import { ScheduledRateNote } from '../../money/ScheduledRateNote.tsx'
import { NumberField, PhoneField, TextField } from '../../ui/Field.tsx'
import { numberPaths } from '../queries.ts'
import { ConfirmMutation } from '../../api/ConfirmMutation.tsx'
import { SaveDialog, type EditDialogProps } from '../../api/SaveDialog.tsx'
import { t } from '../../language/t.ts'

// Spec §9: the default price is 0.50 USD.
const editSchema = inventoryRoutes.editInventoryItem.body.extend({ startsAt: rateStartSchema })

const emptyItem = { number: '', countryCode: '', operator: '', pricePerSms: '0.50' }

export function AddInventoryDialog({ onClose }: { onClose: () => void }) {
  const form = useApiForm(inventoryInputSchema, emptyItem)
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Add New Premium Number')}
      description={t('A number that is not in the list is added; one that is gets this price.')}
      width="md"
      consequence={t('With a price of its own it settles in payouts, not in the weekly bill.')}
      form={form}
      route={inventoryRoutes.createInventoryItem}
      refetch={numberPaths}
      success={t('Number added to inventory')}
      callOf={(body) => ({ body })}
      submitLabel={t('Add Number')}
      failure={t('Error')}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <PhoneField label={t('Phone Number')} placeholder="+44 909 879 0142" {...fieldOf(form, 'number')} />
        <TextField
          label={t('Country Code')}
          placeholder={t('GB or +44')}
          hint={t('Empty: found from the number')}
          {...fieldOf(form, 'countryCode')}
        />
        <TextField label={t('Operator')} {...fieldOf(form, 'operator')} />
        <NumberField label={t('Price per SMS (USD)')} step="0.01" min="0" {...fieldOf(form, 'pricePerSms')} />
      </div>
    </SaveDialog>
  )
}

function itemValues({ countryCode, operator, pricePerSms, version }: InventoryItem) {
  return { countryCode, operator, pricePerSms, startsAt: '', version }
}

export function EditInventoryDialog({ opened, latest, onClose }: EditDialogProps<InventoryItem>) {
  const form = useApiForm(editSchema, itemValues(opened))
  const price = String(form.watch('pricePerSms') ?? '')
  const startsAt = form.watch('startsAt')
  const { usdPerSms, scheduled } = latest ?? opened
  const step = usePriceStep(usdPerSms, price)
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Edit Number')}
      description={<span className="phone-number">{formatPhone(opened.number)}</span>}
      consequence={t('Records already stored keep the price they were stored with.')}
      form={form}
      isDisabled={step.mustConfirm}
      route={inventoryRoutes.editInventoryItem}
      refetch={numberPaths}
      success={rateSaved(startsAt, t('Number updated successfully'))}
      callOf={(body) => ({ params: { id: opened.id }, body })}
      submitLabel={t('Save Changes')}
      failure={t('Failed to update number')}
      saved={latest && itemValues(latest)}
    >
      <NumberField
        label={t('Price per SMS (USD)')}
        step="0.01"
        min="0"
        hint={t("Empty: no price of its own; it settles in the weekly bill at its holder's rate.")}
        {...fieldOf(form, 'pricePerSms')}
      />
      <RateStartField form={form} />
      {scheduled && (
        <ScheduledRateNote
          scheduled={scheduled}
          of={formatPhone(opened.number)}
          ended={t("its holder's rate")}
          format={formatRate}
          route={inventoryRoutes.cancelScheduledPrice}
          call={{ params: { id: opened.id } }}
          refetch={numberPaths}
        />
      )}
      <TextField label={t('Operator')} {...fieldOf(form, 'operator')} />
      <TextField label={t('Country Code')} isMono {...fieldOf(form, 'countryCode')} />
      <PriceStepNotice step={step} price={formatRate(price)} />
    </SaveDialog>
  )
}

interface UnassignDialogProps {
  readonly item: InventoryItem
  readonly onClose: () => void
}

export function UnassignDialog({ item, onClose }: UnassignDialogProps) {
  const holder = item.assignedUsername || t('User {id}', { id: item.assignedTo })
  return (
    <ConfirmMutation
      onClose={onClose}
      title={t('Unassign {number}?', { number: formatPhone(item.number) })}
      route={inventoryRoutes.unassignNumber}
      refetch={numberPaths}
      success={t('Number unassigned successfully')}
      failure={t('Failed to unassign number')}
      call={{ params: { id: item.id } }}
      confirmLabel={t('Unassign')}
      busyLabel={t('Unassigning...')}
    >
      {t(
        '{holder} holds it until now. Its earlier records and what they earned stay; from now on its messages earn nobody anything.',
        { holder },
      )}
    </ConfirmMutation>
  )
}
