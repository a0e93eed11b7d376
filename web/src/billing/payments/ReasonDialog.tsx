import { reasonSchema } from '@tollgate/contract/billing/debts.ts'
import type { Route, RouteCall } from '@tollgate/contract/route.ts'
import { z } from 'zod'
import { SaveDialog } from '../../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../../api/use-api-form.ts'
import { moneyPaths } from '../../money/queries.ts'
import { ReasonField } from '../../ui/Field.tsx'

const formSchema = z.object({ reason: reasonSchema })

interface ReasonDialogProps {
  readonly title: string
  /** What it causes. */
  readonly description: string
  readonly actLabel: string
  readonly tone?: 'primary' | 'danger'
  /** Takes the id in its path, and a body with nothing but the reason. */
  readonly route: Route
  readonly id: string
  readonly success: string
  readonly failure: string
  readonly onClose: () => void
}

/** An act on money that needs a reason. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { title, description, actLabel, tone = 'primary', route, id, success, failure, onClose } = props
  const form = useApiForm(formSchema, { reason: '' })
  return (
    <SaveDialog
      onClose={onClose}
      title={title}
      description={description}
      form={form}
      route={route}
      refetch={moneyPaths}
      success={success}
      callOf={(body) => ({ params: { id }, body }) as RouteCall<Route>}
      submitLabel={actLabel}
      tone={tone}
      failure={failure}
    >
      <ReasonField {...fieldOf(form, 'reason')} />
    </SaveDialog>
  )
}
