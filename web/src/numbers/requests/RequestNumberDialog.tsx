import { requestsRoutes } from '@tollgate/contract/numbers.ts'
import { expectedVolumes, requestCountries } from '@tollgate/contract/vocabulary.ts'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import { showFieldFaults, useApiForm } from '../../api/use-api-form.ts'
import { useAct } from '../../api/use-call.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/Field.tsx'
import { requestPaths } from '../waiting-requests.ts'
import { SaveFailure } from '../../lists/SaveFailure.tsx'

const body = requestsRoutes.createRequest.body
// The choice starts empty, which the route itself does not take; it also takes the purpose as one line.
const formSchema = body.extend({
  expectedVolume: z.union([z.literal(''), body.shape.expectedVolume]),
  businessPurpose: z
    .string()
    .transform((text) => text.replace(/\s*\n\s*/g, ' '))
    .pipe(body.shape.businessPurpose),
})
const emptyRequest = {
  requestedNumber: '',
  preferredCountry: '',
  countryCode: '',
  businessPurpose: '',
  expectedVolume: '',
} as const

const volumeOptions = [
  { value: '', label: 'Select volume' },
  ...expectedVolumes.map((value) => ({ value, label: volumeWords(value) })),
]
const countryOptions = [
  { value: '', label: 'Any country' },
  ...requestCountries.map(({ name, code }) => ({ value: name, label: `${name} (${code})` })),
]

/** Spec §9: "50-200 SMS per day". */
export function volumeWords(volume: string): string {
  return volume === '' ? '–' : `${volume} SMS per day`
}

export function RequestNumberDialog({ onClose }: { onClose: () => void }) {
  const form = useApiForm(formSchema, emptyRequest)
  const { errors } = form.formState
  const send = useAct(requestsRoutes.createRequest, {
    refetch: requestPaths,
    success: 'Number request submitted successfully',
    failure: 'Failed to submit request',
    onSuccess: onClose,
  })
  const [purpose, volume] = useWatch({
    control: form.control,
    name: ['businessPurpose', 'expectedVolume'],
  })
  // Spec §5: submit is disabled unless these two are filled.
  const isComplete = purpose.trim() !== '' && volume !== ''
  const submit = form.handleSubmit(({ expectedVolume, ...rest }) => {
    if (expectedVolume === '') return
    const country = requestCountries.find(({ name }) => name === rest.preferredCountry)
    send.mutate(
      { body: { ...rest, expectedVolume, countryCode: country?.code ?? '' } },
      { onError: (error) => void showFieldFaults(form, error) },
    )
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Request Number"
      description="Support answers it; you see the result here."
      width="md"
      isDirty={form.formState.isDirty}
      onSubmit={(event) => void submit(event)}
      consequence={isComplete ? undefined : 'Business purpose and expected volume are needed.'}
      act={
        <Button
          tone="primary"
          type="submit"
          isDisabled={!isComplete}
          isBusy={send.isPending}
          busyLabel="Submitting..."
        >
          Submit Request
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={send.error} title="Failed to submit request" />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Requested Number"
            isMono
            inputMode="tel"
            autoComplete="off"
            hint="Empty: any available number"
            error={errors.requestedNumber?.message}
            {...form.register('requestedNumber')}
          />
          <SelectField
            label="Preferred Country"
            options={countryOptions}
            error={errors.preferredCountry?.message ?? errors.countryCode?.message}
            {...form.register('preferredCountry')}
          />
          <SelectField
            label="Expected Volume"
            options={volumeOptions}
            error={errors.expectedVolume?.message}
            {...form.register('expectedVolume')}
          />
        </div>
        <TextAreaField
          label="Business Purpose"
          rows={4}
          maxLength={2000}
          hint="What the number is for"
          error={errors.businessPurpose?.message}
          {...form.register('businessPurpose')}
        />
      </div>
    </Dialog>
  )
}
