import { requestsRoutes, type NumberRequest } from '@tollgate/contract/numbers/requests.ts'
import { stockRoutes } from '@tollgate/contract/numbers/stock.ts'
import { expectedVolumes, requestCountries } from '@tollgate/contract/vocabulary.ts'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import { useApiQuery } from '../../api/use-api.ts'
import { fieldOf, useApiForm } from '../../api/use-api-form.ts'
import { PhoneField, SelectField, TextAreaField } from '../../ui/Field.tsx'
import { requestPaths } from '../waiting-requests.ts'
import { SaveDialog } from '../../api/SaveDialog.tsx'
import { t } from '../../language/t.ts'

const body = requestsRoutes.createRequest.body
// The select starts empty and the purpose may have several lines. The route takes neither.
const formSchema = body.extend({
  expectedVolume: z.union([z.literal(''), body.shape.expectedVolume]).pipe(body.shape.expectedVolume),
  businessPurpose: z
    .string()
    .transform((text) => text.replace(/\s*\n\s*/g, ' '))
    .pipe(body.shape.businessPurpose),
})
/** What the form begins with: an earlier request, or the number that somebody chose. */
type RequestStart = Partial<
  Pick<NumberRequest, 'requestedNumber' | 'preferredCountry' | 'businessPurpose' | 'expectedVolume'>
>

const emptyRequest = {
  requestedNumber: '',
  preferredCountry: '',
  countryCode: '',
  businessPurpose: '',
  expectedVolume: '',
} as const

const volumeOptions = [
  { value: '', label: t('Select volume') },
  ...expectedVolumes.map((value) => ({ value, label: formatVolume(value) })),
]

/** Where numbers are in stock, as far as they are shown; else where numbers are asked for. The chosen one stays. */
function useCountries(chosen: string) {
  const terms = useApiQuery(stockRoutes.getStockTerms)
  const stocked = terms.data?.countries ?? []
  const names = stocked.length > 0 ? stocked : requestCountries.map(({ name }) => name)
  const codeOf = (name: string) => requestCountries.find((country) => country.name === name)?.code ?? ''
  return [
    { value: '', label: t('Any country') },
    ...[...new Set([...names, chosen])]
      .filter((name) => name !== '')
      .map((name) => ({ value: name, label: codeOf(name) === '' ? name : `${name} (${codeOf(name)})` })),
  ]
}

/** Spec §9: "50-200 SMS per day". */
export function formatVolume(volume: string): string {
  return volume === '' ? '–' : t('{count} SMS per day', { count: volume })
}

interface RequestNumberDialogProps {
  readonly onClose: () => void
  readonly start?: RequestStart
}

/** Makes a request. */
export function RequestNumberDialog({ onClose, start = {} }: RequestNumberDialogProps) {
  return <RequestDialog onClose={onClose} start={start} />
}

/** Changes a request that nobody has decided on. */
export function EditRequestDialog({ request, onClose }: { request: NumberRequest; onClose: () => void }) {
  return <RequestDialog onClose={onClose} start={request} requestId={request.id} />
}

interface RequestDialogProps {
  readonly onClose: () => void
  readonly start: RequestStart
  readonly requestId?: string
}

function RequestDialog({ onClose, start, requestId }: RequestDialogProps) {
  const volumeBefore = expectedVolumes.find((volume) => volume === start.expectedVolume)
  const form = useApiForm(formSchema, {
    ...emptyRequest,
    requestedNumber: start.requestedNumber ? `+${start.requestedNumber}` : '',
    preferredCountry: start.preferredCountry ?? '',
    businessPurpose: start.businessPurpose ?? '',
    expectedVolume: volumeBefore ?? '',
  })
  const { errors } = form.formState
  const countries = useCountries(start.preferredCountry ?? '')
  const [purpose, volume] = useWatch({
    control: form.control,
    name: ['businessPurpose', 'expectedVolume'],
  })
  // Spec §5: submit is disabled until these two are filled.
  const isComplete = purpose.trim() !== '' && volume !== ''
  return (
    <SaveDialog
      onClose={onClose}
      title={requestId === undefined ? t('Request Number') : t('Change Request')}
      description={t('Support answers it; you see the result here.')}
      width="md"
      consequence={isComplete ? undefined : t('Business purpose and expected volume are needed.')}
      form={form}
      route={requestId === undefined ? requestsRoutes.createRequest : requestsRoutes.editRequest}
      refetch={requestPaths}
      success={
        requestId === undefined
          ? t('Number request submitted successfully')
          : t('Number request changed successfully')
      }
      callOf={({ expectedVolume, ...rest }) => {
        const country = requestCountries.find(({ name }) => name === rest.preferredCountry)
        return {
          ...(requestId !== undefined && { params: { id: requestId } }),
          body: { ...rest, expectedVolume, countryCode: country?.code ?? '' },
        }
      }}
      submitLabel={requestId === undefined ? t('Submit Request') : t('Save Changes')}
      busyLabel={t('Submitting...')}
      isDisabled={!isComplete}
      failure={t('Failed to submit request')}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <PhoneField
          label={t('Requested Number')}
          hint={t('Empty: any available number')}
          {...fieldOf(form, 'requestedNumber')}
        />
        <SelectField
          label={t('Preferred Country')}
          options={countries}
          error={errors.preferredCountry?.message ?? errors.countryCode?.message}
          {...form.register('preferredCountry')}
        />
        <SelectField
          label={t('Expected Volume')}
          options={volumeOptions}
          {...fieldOf(form, 'expectedVolume')}
        />
      </div>
      <TextAreaField
        label={t('Business Purpose')}
        rows={4}
        maxLength={2000}
        hint={t('What the number is for')}
        {...fieldOf(form, 'businessPurpose')}
      />
    </SaveDialog>
  )
}
