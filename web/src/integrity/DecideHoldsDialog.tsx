import { reasonSchema } from '@tollgate/contract/billing/debts.ts'
import { holdRoutes, type Hold } from '@tollgate/contract/integrity/integrity.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { HoldAction } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { formatUsdt } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { formatSentences } from '../format/sentences.ts'
import { moneyPaths, needsSecondPerson, secondPersonNote, useTerms } from '../money/queries.ts'
import { ReasonField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { showToast } from '../ui/toasts.ts'
import { t, joined } from '../language/t.ts'
import { counted } from '../format/counted.ts'

const formSchema = z.object({ reason: reasonSchema })
/** What changes with a decision. */
export const heldPaths = [...moneyPaths, '/api/holds', '/api/integrity', '/api/records'] as const

/** The sum of the held amounts. */
export function sumOfHolds(holds: readonly Hold[]): string {
  return formatMicro(
    holds.reduce((sum, { amountUsd }) => sum + (parseMicro(amountUsd) ?? 0n), 0n),
    2,
  )
}

const actionTexts: Record<
  HoldAction,
  {
    readonly label: string
    readonly title: (count: number) => string
    readonly after: string
    readonly done: (count: number) => string
    readonly failure: string
  }
> = {
  release: {
    label: t('Release'),
    title: (count) => counted(count, 'Release held message', 'Release {count} held messages'),
    after: t(
      'What is released counts in the open period, as an entry of its own if its own period is closed. That is final.',
    ),
    done: (count) => counted(count, '1 held message is released', '{count} held messages are released'),
    failure: t('Not released'),
  },
  confirm: {
    label: t('Refuse'),
    title: (count) => counted(count, 'Refuse held message', 'Refuse {count} held messages'),
    after: t('What is refused is never paid. That is final.'),
    done: (count) => counted(count, '1 held message is refused', '{count} held messages are refused'),
    failure: t('Not refused'),
  },
}

/** What somebody asked for, who needs a second person. */
export function askedText({ by, action }: NonNullable<Hold['asked']>): string {
  return action === 'release'
    ? t('{name} asks to release it', { name: by })
    : t('{name} asks to refuse it', { name: by })
}

interface DecideHoldsDialogProps {
  readonly action: HoldAction
  readonly holds: readonly Hold[]
  readonly onClose: () => void
  readonly onDecided: () => void
}

/** Releases or refuses one or several holds, with a reason. Above the limit this requests a second person. */
export function DecideHoldsDialog({ action, holds, onClose, onDecided }: DecideHoldsDialogProps) {
  const terms = useTerms()
  const form = useApiForm(formSchema, { reason: '' })
  const { label, title, after, done, failure } = actionTexts[action]
  const amount = sumOfHolds(holds)
  const wasRequested = holds.every(({ asked }) => asked?.action === action)
  const asksSecond = !wasRequested && needsSecondPerson(amount, terms.data)
  const onSaved = (decided: readonly Hold[]) => {
    const isDone = decided.every(({ status }) => status !== 'open')
    showToast(
      isDone
        ? { title: t('Success'), text: done(decided.length) }
        : { title: t('Approval asked for'), text: t('A second person must confirm.') },
    )
    onDecided()
    onClose()
  }
  const [only] = holds
  return (
    <SaveDialog
      onClose={onClose}
      title={title(holds.length)}
      description={
        holds.length === 1 && only !== undefined
          ? `${only.userName} · ${formatPhone(only.number)} · ${formatUsdt(amount)}`
          : t('Together {amount}. All are decided, or none.', { amount: formatUsdt(amount) })
      }
      width="md"
      consequence={asksSecond ? joined(secondPersonNote(amount, terms.data), after) : after}
      form={form}
      route={holdRoutes.decideHolds}
      refetch={heldPaths}
      callOf={({ reason }) => ({ body: { ids: holds.map(({ id }) => id), action, reason } })}
      onSaved={onSaved}
      submitLabel={asksSecond ? t('Ask for approval') : label}
      tone={action === 'confirm' ? 'danger' : 'primary'}
      failure={failure}
    >
      {holds.length === 1 && only !== undefined && (
        <Notice tone="warn" title={t('Why it is held')}>
          {formatSentences(only.explanationWords)}
          {only.asked && (
            <p className="pt-1">
              {askedText(only.asked)}: <bdi>{only.asked.reason}</bdi>
            </p>
          )}
        </Notice>
      )}
      <ReasonField
        required
        hint={t('Kept in the audit log and in the ledger')}
        {...fieldOf(form, 'reason')}
      />
    </SaveDialog>
  )
}
