// The one form of a number: it adds one, or changes all that is known of one.
import { tariffInputSchema } from '@tollgate/contract/money.ts'
import { inventoryInputSchema, inventoryRoutes } from '@tollgate/contract/numbers/inventory.ts'
import { numbersRoutes, type NumberDetail } from '@tollgate/contract/numbers/numbers.ts'
import { numberTypes } from '@tollgate/contract/vocabulary.ts'
import type { ReactNode } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { SaveDialog, type EditDialogProps } from '../../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../../api/use-api-form.ts'
import { formatRate, formatTariff } from '../../format/money.ts'
import { formatPhone, groupPhone } from '../../format/phone.ts'
import { t } from '../../language/t.ts'
import { PriceStepNotice, usePriceStep } from '../../money/price-step.tsx'
import { rateStartSchema } from '../../money/rate-start.ts'
import { RateStartField, rateSaved } from '../../money/RateStartField.tsx'
import { ScheduledRateNote } from '../../money/ScheduledRateNote.tsx'
import { AccountStatusField } from '../../ui/account-status.tsx'
import { NumberField, PhoneField, SelectField, TextField } from '../../ui/Field.tsx'
import { Fold } from '../../ui/Fold.tsx'
import { numberPaths } from '../queries.ts'
import { numberTypeLabels } from '../type-labels.ts'

const empty = {
  number: '',
  rate: '',
  pricePerSms: '',
  operator: '',
  countryCode: '',
  country: '',
  status: 'active',
  type: 'premium',
  description: '',
} as const

interface AddNumberDialogProps {
  /** The number that the form begins with. */
  readonly number?: string
  /** From the stock: with the specification's names, and a price to begin with. */
  readonly isStock?: boolean
  /** Lists of other slices that show the number. */
  readonly alsoRefetch?: readonly string[]
  readonly onClose: () => void
}

export function AddNumberDialog({
  number = '',
  isStock = false,
  alsoRefetch = [],
  onClose,
}: AddNumberDialogProps) {
  // Spec §9: the default price of the stock is 0.50 USD.
  const form = useApiForm(inventoryInputSchema, { ...empty, number, pricePerSms: isStock ? '0.50' : '' })
  const [price, operator] = form.watch(['pricePerSms', 'operator'])
  const frame = {
    onClose,
    title: isStock ? t('Add New Premium Number') : t('Add Premium Number'),
    description: price
      ? t('A number that is not in the list is added; one that is gets this price.')
      : t('Messages to it are taken from the moment it is saved.'),
    width: 'md' as const,
    consequence: price
      ? t('With a price of its own it settles in payouts, not in the weekly bill.')
      : t('Has no price of its own: what it earns goes into the weekly bill of whoever holds it.'),
    form,
    refetch: [...numberPaths, ...alsoRefetch],
    success: isStock ? t('Number added to inventory') : t('Number added successfully'),
    submitLabel: t('Add Number'),
    failure: isStock ? t('Error') : t('Failed to add number'),
  }
  const fields = <NumberFields form={form} numberLabel={isStock ? t('Phone Number') : t('Number')} />
  if (!isStock && !price && !operator)
    return (
      <SaveDialog
        {...frame}
        route={numbersRoutes.createPremiumNumber}
        callOf={({ pricePerSms: _price, operator: _operator, ...body }) => ({ body })}
      >
        {fields}
      </SaveDialog>
    )
  return (
    <SaveDialog
      {...frame}
      route={inventoryRoutes.createInventoryItem}
      // What was not chosen stays as it is where the number is in the list already.
      callOf={({ status, type, ...body }) => ({
        body: {
          ...body,
          ...(status !== empty.status && { status }),
          ...(type !== empty.type && { type }),
        },
      })}
    >
      {fields}
    </SaveDialog>
  )
}

const editSchema = inventoryRoutes.editInventoryItem.body.extend({ startsAt: rateStartSchema })

/** The version tells the server which state the person has seen. */
function valuesOf(number: NumberDetail) {
  const { phoneNumber, rate, pricePerSms, operator, countryCode, country, status, type, description } = number
  const fields = { rate, pricePerSms, operator, countryCode, country, status, type, description }
  return { ...fields, number: groupPhone(phoneNumber), startsAt: '', version: number.version }
}

export function EditNumberDialog({ opened, latest, onClose }: EditDialogProps<NumberDetail>) {
  const form = useApiForm(editSchema, valuesOf(opened))
  const [tariff = '', price = '', startsAt] = form.watch(['rate', 'pricePerSms', 'startsAt'])
  const { rate, usdPerSmsNow, scheduled } = latest ?? opened
  const tariffStep = usePriceStep(rate, String(tariff), tariffInputSchema)
  const priceStep = usePriceStep(usdPerSmsNow, String(price))
  const shown = formatPhone(opened.phoneNumber)
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Edit Number')}
      description={<span className="phone-number">{shown}</span>}
      width="md"
      consequence={t('Records already stored keep the rate and the price they were stored with.')}
      form={form}
      isDisabled={tariffStep.mustConfirm || priceStep.mustConfirm}
      route={inventoryRoutes.editInventoryItem}
      refetch={numberPaths}
      success={rateSaved(startsAt, t('Number updated successfully'))}
      callOf={(body) => ({ params: { id: opened.id }, body })}
      submitLabel={t('Save Changes')}
      failure={t('Failed to update number')}
      saved={latest && valuesOf(latest)}
    >
      <NumberFields form={form} numberLabel={t('Number')} startsOpen>
        <RateStartField form={form} />
      </NumberFields>
      {scheduled && (
        <ScheduledRateNote
          scheduled={scheduled}
          of={shown}
          ended={t("its holder's rate")}
          format={formatRate}
          route={inventoryRoutes.cancelScheduledPrice}
          call={{ params: { id: opened.id } }}
          refetch={numberPaths}
        />
      )}
      <PriceStepNotice step={tariffStep} price={formatTariff(String(tariff))} />
      <PriceStepNotice step={priceStep} price={formatRate(String(price))} />
    </SaveDialog>
  )
}

interface NumberFieldsProps<Values extends FieldValues, Checked> {
  readonly form: UseFormReturn<Values, unknown, Checked>
  /** The specification's name on the page. */
  readonly numberLabel: string
  readonly startsOpen?: boolean
  /** When the price starts. */
  readonly children?: ReactNode
}

const folded = ['country', 'status', 'type', 'description']

function NumberFields<Values extends FieldValues, Checked>(props: NumberFieldsProps<Values, Checked>) {
  const { numberLabel, startsOpen = false, children } = props
  // Both forms have these fields.
  const form = props.form as unknown as UseFormReturn<Record<keyof typeof empty, string>>
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <PhoneField label={numberLabel} placeholder="+44 909 879 0142" {...fieldOf(form, 'number')} />
        <NumberField
          label={t('Rate (₪)')}
          step="0.01"
          min="0"
          hint={t('What its caller pays. Empty takes the rate of its range.')}
          {...fieldOf(form, 'rate')}
        />
        <NumberField
          label={t('Price per SMS (USD)')}
          step="0.01"
          min="0"
          hint={t("Empty: no price of its own; it settles in the weekly bill at its holder's rate.")}
          {...fieldOf(form, 'pricePerSms')}
        />
        {children}
        <TextField label={t('Operator')} {...fieldOf(form, 'operator')} />
        <TextField
          label={t('Country Code')}
          isMono
          placeholder={t('GB or +44')}
          hint={t('Empty: found from the number')}
          {...fieldOf(form, 'countryCode')}
        />
      </div>
      <Fold
        label={t('More settings')}
        startsOpen={startsOpen}
        isHeldOpen={Object.keys(form.formState.errors).some((name) => folded.includes(name))}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t('Country')}
            placeholder={t('United Kingdom')}
            hint={t('Empty: found from the number')}
            {...fieldOf(form, 'country')}
          />
          <SelectField
            label={t('Type')}
            options={numberTypes.map((value) => ({ value, label: numberTypeLabels[value] }))}
            {...fieldOf(form, 'type')}
          />
          <AccountStatusField {...fieldOf(form, 'status')} />
          <TextField label={t('Description')} {...fieldOf(form, 'description')} />
        </div>
      </Fold>
    </>
  )
}
