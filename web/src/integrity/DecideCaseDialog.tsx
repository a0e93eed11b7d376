import { reasonSchema } from '@tollgate/contract/billing/debts.ts'
import { caseRoutes, type IntegrityCase } from '@tollgate/contract/integrity/integrity.ts'
import type { HoldAction } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { joined, t } from '../language/t.ts'
import { needsSecondPerson, secondPersonNote, useTerms } from '../money/queries.ts'
import { ReasonField } from '../ui/Field.tsx'
import { showToast } from '../ui/toasts.ts'
import { heldPaths } from './DecideHoldsDialog.tsx'

const formSchema = z.object({ reason: reasonSchema })

/** What a person does with a case in a dialog. */
export type CaseAct = 'release' | 'remember' | 'confirm' | 'extend'

const texts: Record<
  Exclude<CaseAct, 'extend'>,
  { readonly label: string; readonly title: string; readonly after: string; readonly done: string }
> = {
  release: {
    label: t('Release'),
    title: t('Release the case'),
    after: t(
      'What is released counts in the open period, as an entry of its own if its own period is closed. That is final.',
    ),
    done: t('The case is released'),
  },
  remember: {
    label: t('Release and remember'),
    title: t('Release the case and remember it'),
    after: t(
      'What is released counts in the open period. For 90 days this rule does not hold the same at this client. That is final.',
    ),
    done: t('The case is released'),
  },
  confirm: {
    label: t('Refuse'),
    title: t('Refuse the case'),
    after: t('What is refused is never paid. That is final.'),
    done: t('The case is refused'),
  },
}

interface CaseDialogProps {
  readonly found: IntegrityCase
  readonly onClose: () => void
}

const subjectOf = ({ userName, heldCount, heldUsd }: IntegrityCase) =>
  `${userName} · ${t('{count} messages, {amount}', { count: formatCount(heldCount), amount: formatUsdt(heldUsd) })}`

/** Releases or refuses all of a case, with a reason. Above the limit this requests a second person. */
export function DecideCaseDialog({
  found,
  act,
  onClose,
}: CaseDialogProps & { readonly act: Exclude<CaseAct, 'extend'> }) {
  const terms = useTerms()
  const form = useApiForm(formSchema, { reason: '' })
  const action: HoldAction = act === 'confirm' ? 'confirm' : 'release'
  const { label, title, after, done } = texts[act]
  const asksSecond = found.asked?.action !== action && needsSecondPerson(found.heldUsd, terms.data)
  return (
    <SaveDialog
      onClose={onClose}
      title={title}
      description={subjectOf(found)}
      width="md"
      consequence={asksSecond ? joined(secondPersonNote(found.heldUsd, terms.data), after) : after}
      form={form}
      route={caseRoutes.decideCase}
      refetch={heldPaths}
      callOf={({ reason }) => ({
        params: { id: found.id },
        body: { action, reason, remember: act === 'remember' },
      })}
      onSaved={({ state }) => {
        showToast(
          state === 'open'
            ? { title: t('Approval asked for'), text: t('A second person must confirm.') }
            : { title: t('Success'), text: done },
        )
        onClose()
      }}
      submitLabel={asksSecond ? t('Ask for approval') : label}
      tone={act === 'confirm' ? 'danger' : 'primary'}
      failure={t('The case is not decided')}
    >
      <ReasonField
        required
        hint={t('Kept in the audit log and in the ledger')}
        {...fieldOf(form, 'reason')}
      />
    </SaveDialog>
  )
}

/** Puts the reminder of a case off, with a reason. */
export function ExtendCaseDialog({ found, onClose }: CaseDialogProps) {
  const form = useApiForm(formSchema, { reason: '' })
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Decide later')}
      description={subjectOf(found)}
      width="md"
      consequence={t('Its messages stay held. People are reminded in 48 hours.')}
      form={form}
      route={caseRoutes.extendCase}
      refetch={heldPaths}
      callOf={({ reason }) => ({ params: { id: found.id }, body: { reason } })}
      submitLabel={t('Decide later')}
      success={t('The reminder is put off')}
      failure={t('The reminder is not put off')}
    >
      <ReasonField required hint={t('Kept in the audit log')} {...fieldOf(form, 'reason')} />
    </SaveDialog>
  )
}
