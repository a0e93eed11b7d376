import { reasonSchema } from '@tollgate/contract/debts.ts'
import { holdRoutes, type Hold } from '@tollgate/contract/integrity.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { HoldAction } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { formatSentences } from '../format/sentences.ts'
import { moneyPaths, needsSecondPerson, secondPersonNote, useTerms } from '../money/queries.ts'
import { TextAreaField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { showToast } from '../ui/toasts.ts'
import { t } from '../language/t.ts'

const formSchema = z.object({ reason: reasonSchema })
const heldPaths = [...moneyPaths, '/api/holds', '/api/records'] as const

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
    readonly verb: string
    readonly after: string
    readonly done: (count: number) => string
    readonly failure: string
  }
> = {
  release: {
    verb: t('Release'),
    after: t(
      'What is released counts in the open period, as an entry of its own if its own period is closed. That is final.',
    ),
    done: (count) =>
      count === 1
        ? t('1 held message is released')
        : t('{count} held messages are released', { count: formatCount(count) }),
    failure: t('Not released'),
  },
  confirm: {
    verb: t('Refuse'),
    after: t('What is refused is never paid. That is final.'),
    done: (count) =>
      count === 1
        ? t('1 held message is refused')
        : t('{count} held messages are refused', { count: formatCount(count) }),
    failure: t('Not refused'),
  },
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
  const { verb, after, done, failure } = actionTexts[action]
  const amount = sumOfHolds(holds)
  const wasRequested = holds.every(({ asked }) => asked?.action === action)
  const asksSecond = !wasRequested && needsSecondPerson(amount, terms.data)
  const onSaved = (decided: readonly Hold[]) => {
    const isDone = decided.every(({ status }) => status !== 'open')
    showToast(
      isDone
        ? { title: t('Success'), text: done(decided.length) }
        : { title: t('Approval asked for'), text: t('A second person must say the same.') },
    )
    onDecided()
    onClose()
  }
  const [only] = holds
  return (
    <SaveDialog
      onClose={onClose}
      title={
        holds.length === 1
          ? t('{verb} held message', { verb })
          : t('{verb} {count} held messages', { verb, count: formatCount(holds.length) })
      }
      description={
        holds.length === 1 && only !== undefined
          ? `${only.userName} · ${formatPhone(only.number)} · ${formatUsdt(amount)}`
          : t('Together {amount}. All are decided, or none.', { amount: formatUsdt(amount) })
      }
      width="md"
      consequence={
        asksSecond ? `${secondPersonNote(amount, terms.data, t('must say the same'))}${after}` : after
      }
      form={form}
      route={holdRoutes.decideHolds}
      refetch={heldPaths}
      callOf={({ reason }) => ({ body: { ids: holds.map(({ id }) => id), action, reason } })}
      onSaved={onSaved}
      submitLabel={asksSecond ? t('Ask to {toLowerCase}', { toLowerCase: verb.toLowerCase() }) : verb}
      tone={action === 'confirm' ? 'danger' : 'primary'}
      failure={failure}
    >
      {holds.length === 1 && only !== undefined && (
        <Notice tone="warn" title={t('Why it is held')}>
          {formatSentences(only.explanationWords)}
          {only.asked && (
            <p className="pt-1">
              {t('{by} asks to {value} it: {reason}', {
                by: only.asked.by,
                value: only.asked.action === 'release' ? t('release') : t('refuse'),
                reason: only.asked.reason,
              })}
            </p>
          )}
        </Notice>
      )}
      <TextAreaField
        label={t('Reason')}
        required
        rows={3}
        maxLength={500}
        hint={t('Kept in the audit log and in the ledger')}
        {...fieldOf(form, 'reason')}
      />
    </SaveDialog>
  )
}
