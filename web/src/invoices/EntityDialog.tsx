import { invoiceRoutes, type LegalEntity } from '@tollgate/contract/invoices/invoices.ts'
import { Unfetched } from '../api/FetchFailure.tsx'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { useApiForm } from '../api/use-api-form.ts'
import { useApiQuery } from '../api/use-api.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { entityFormSchema, entityFormValues } from './entity-form.ts'
import { EntityFields } from './EntityFields.tsx'
import { t } from '../language/t.ts'

/** Whose entity a dialog is about: the own company's, or a client's. */
export type EntitySubject = 'own' | { readonly userId: number; readonly userName: string }

interface EntityDialogProps {
  readonly of: EntitySubject
  readonly onClose: () => void
}

const titleOf = (of: EntitySubject) =>
  of === 'own' ? t('Our legal entity') : t('Legal entity of {userName}', { userName: of.userName })

/** Staff look at a legal entity and correct it. */
export function EntityDialog({ of, onClose }: EntityDialogProps) {
  const company = useApiQuery(invoiceRoutes.getOwnCompany, {}, { isEnabled: of === 'own' })
  const client = useApiQuery(
    invoiceRoutes.getClientEntity,
    { params: { id: of === 'own' ? 0 : of.userId } },
    { isEnabled: of !== 'own' },
  )
  const entity = of === 'own' ? company : client
  if (entity.data === undefined)
    return (
      <Dialog isOpen onClose={onClose} title={titleOf(of)} closeLabel={t('Close')}>
        <Unfetched of={entity} title={t('Failed to fetch the legal entity')} className="h-8 w-full" />
      </Dialog>
    )
  return <EntityForm of={of} entity={entity.data} onClose={onClose} />
}

function EntityForm({ of, entity, onClose }: EntityDialogProps & { entity: LegalEntity }) {
  // The values when the dialog opened; a refusal offers the newer ones.
  const form = useApiForm(entityFormSchema, entityFormValues(entity))
  const shared = {
    form,
    title: titleOf(of),
    width: 'md',
    consequence: t('Documents that were issued before stay as they are.'),
    submitLabel: t('Save'),
    failure: t('Legal entity not saved'),
    refetch: ['/api/billing'],
    success: { title: t('Legal Entity Saved'), text: t('Documents that are issued from now on name it.') },
    saved: entityFormValues(entity),
    onClose,
  } as const
  return of === 'own' ? (
    <SaveDialog
      {...shared}
      description={t(
        'It appears on every invoice and credit note as the customer. Once it is saved, they are issued for closed periods.',
      )}
      route={invoiceRoutes.putOwnCompany}
      callOf={(body) => ({ body })}
    >
      <EntityFields form={form} />
    </SaveDialog>
  ) : (
    <SaveDialog
      {...shared}
      description={t(
        "It appears on this client's invoices and credit notes as the supplier. The client may change it, too.",
      )}
      route={invoiceRoutes.putClientEntity}
      callOf={(body) => ({ params: { id: of.userId }, body })}
    >
      <EntityFields form={form} />
    </SaveDialog>
  )
}
