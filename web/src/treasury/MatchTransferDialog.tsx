import { reasonSchema } from '@tollgate/contract/billing/debts.ts'
import {
  debtReferenceSchema,
  treasuryTransferRoutes,
  type TreasuryTransfer,
} from '@tollgate/contract/treasury/transfers.ts'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatUsdt } from '../format/money.ts'
import { groupByFour } from '../format/shorten.ts'
import { moneyPaths, needsSecondPerson, secondPersonNote, useTerms } from '../money/queries.ts'
import { Button } from '../ui/Button.tsx'
import { Pairs } from '../ui/Card.tsx'
import { ReasonField, TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { proposalText } from './transfer-columns.tsx'
import { t } from '../language/t.ts'

const split = (text: string) => text.split(/[\s,]+/).filter((part) => part !== '')

const formSchema = z.object({
  references: z
    .string()
    .refine((text) => split(text).length > 0, t('Choose a proposal, or enter the bills and payouts'))
    .refine(
      (text) => split(text).every((part) => debtReferenceSchema.safeParse(part).success),
      t('Enter bills (3-17) and payouts (payout-5), with commas between them'),
    ),
  reason: reasonSchema,
})

interface MatchTransferDialogProps {
  readonly transfer: TreasuryTransfer
  readonly onClose: () => void
}

/** Books a transfer that nothing asked for on debts of one client. */
export function MatchTransferDialog({ transfer, onClose }: MatchTransferDialogProps) {
  const { id, amount, toAddress, at, proposals, lookAlikes } = transfer
  const terms = useTerms()
  const needsSecond = needsSecondPerson(amount, terms.data)
  const form = useApiForm(formSchema, { references: proposals[0]?.references.join(', ') ?? '', reason: '' })
  const chosen = split(useWatch({ control: form.control, name: 'references' })).join()
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Match transfer')}
      description={t('Books it on bills and payouts of one client, in this order.')}
      width="md"
      isFullOnPhone
      consequence={
        needsSecond
          ? secondPersonNote(amount, terms.data)
          : t('What arrived is booked: a rest stays due, and a surplus waits for a decision.')
      }
      form={form}
      route={treasuryTransferRoutes.matchTransfer}
      refetch={moneyPaths}
      success={needsSecond ? t('A second person must agree to this match') : t('The transfer is booked')}
      callOf={({ references, reason }) => ({
        params: { id },
        body: { references: split(references), reason },
      })}
      submitLabel={needsSecond ? t('Ask for approval') : t('Match')}
      failure={t('Not matched')}
    >
      <Pairs
        items={[
          { label: t('Amount'), value: formatUsdt(amount) },
          { label: t('To'), value: <span className="font-mono text-xs">{groupByFour(toAddress)}</span> },
          { label: t('Sent'), value: formatDateTime(at) },
        ]}
      />
      {lookAlikes.map((known) => (
        <Notice key={known.address} tone="bad" title={t('This address looks like another one')}>
          <span className="block font-mono text-xs break-words">{groupByFour(known.address)}</span>
          {known.userName === ''
            ? t('That is one of our wallets.')
            : t('That is an address of {userName}.', { userName: known.userName })}
        </Notice>
      ))}
      {proposals.length > 0 && (
        <div role="group" aria-label={t('Proposals')} className="space-y-1.5">
          <p className="text-xs font-medium text-ink-2">{t('Proposals')}</p>
          {proposals.map((proposal) => (
            <Button
              key={proposal.references.join()}
              size="sm"
              tone={chosen === proposal.references.join() ? 'primary' : 'secondary'}
              aria-pressed={chosen === proposal.references.join()}
              className="me-1.5 max-w-full whitespace-normal max-sm:h-auto max-sm:py-2"
              onClick={() =>
                form.setValue('references', proposal.references.join(', '), {
                  shouldDirty: true,
                  shouldValidate: true,
                })
              }
            >
              {proposalText(proposal)}
            </Button>
          ))}
        </div>
      )}
      <TextField
        label={t('Bills and payouts')}
        isMono
        autoComplete="off"
        spellCheck={false}
        hint={t('As 3-17, payout-5')}
        {...fieldOf(form, 'references')}
      />
      <ReasonField rows={2} {...fieldOf(form, 'reason')} />
    </SaveDialog>
  )
}
