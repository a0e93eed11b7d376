import { invoiceRoutes, type LegalEntity } from '@tollgate/contract/invoices/invoices.ts'
import { Save } from 'lucide-react'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { isToldAtFields, showFieldErrors, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { PageForm } from '../ui/PageForm.tsx'
import { Skeleton } from '../ui/States.tsx'
import { entityFormSchema, entityFormValues } from './entity-form.ts'
import { EntityFields } from './EntityFields.tsx'
import { t } from '../language/t.ts'

/** The client's legal entity, which invoices name as the supplier. */
export function EntityCard() {
  const entity = useApiQuery(invoiceRoutes.getLegalEntity)
  if (entity.error && entity.data === undefined)
    return <FetchFailure isCard of={entity} title={t('Failed to fetch the legal entity')} />
  return (
    <Card title={t('Legal Entity')}>
      {entity.data ? <EntityForm latest={entity.data} /> : <Skeleton className="h-104 w-full max-sm:h-148" />}
    </Card>
  )
}

function EntityForm({ latest }: { latest: LegalEntity }) {
  // The values, with their version, when the form was filled; a refusal offers the newer ones.
  const form = useApiForm(entityFormSchema, entityFormValues(latest))
  const save = useApiMutation(invoiceRoutes.putLegalEntity, {
    refetch: ['/api/billing/legal-entity', '/api/billing/invoices'],
    success: {
      title: t('Legal Entity Saved'),
      text: t('Documents that are issued from now on name it.'),
    },
    failure: t('Legal entity not saved'),
    isShownInPlace: true,
    // What is saved is not asked about, also before the saved values are back.
    onSuccess: (saved) => form.reset(entityFormValues(saved)),
  })
  const submit = form.handleSubmit((body) =>
    save.mutate({ body }, { onError: (error) => void showFieldErrors(form, error) }),
  )
  const { isDirty } = form.formState
  return (
    <PageForm isDirty={isDirty} onSubmit={(event) => void submit(event)} className="max-w-140 space-y-4 pt-1">
      <p className="text-ink-2">
        {t(
          'Your invoices are issued by us in your name (self-billing), for each closed period. By saving you agree to that. A change counts for documents that are issued from then on; those before stay as they are.',
        )}
      </p>
      <SaveFailure
        error={save.error}
        title={t('Legal entity not saved')}
        isAtFields={isToldAtFields(form, save.error)}
        onTakeSaved={() => {
          form.reset(entityFormValues(latest))
          save.reset()
        }}
      />
      <EntityFields form={form} />
      <Button tone="primary" icon={Save} type="submit" isBusy={save.isPending} busyLabel={t('Saving...')}>
        {t('Save Legal Entity')}
      </Button>
    </PageForm>
  )
}
