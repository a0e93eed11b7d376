import { amendmentRoutes, type Amendment } from '@tollgate/contract/amendments/amendments.ts'
import type { BillingPeriod, BillingTerms } from '@tollgate/contract/billing/bills.ts'
import { amountInputSchema, reasonSchema } from '@tollgate/contract/billing/debts.ts'
import { lineSchema } from '@tollgate/contract/fields.ts'
import type { AmendmentKind } from '@tollgate/contract/vocabulary.ts'
import { useState } from 'react'
import { useWatch, type UseFormReturn } from 'react-hook-form'
import { z } from 'zod'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { formatUsdt } from '../format/money.ts'
import { groupByFour } from '../format/shorten.ts'
import { moneyPaths, needsSecondPerson, secondPersonNote, useTerms } from '../money/queries.ts'
import { Pairs } from '../ui/Card.tsx'
import { NumberField, ReasonField, TextAreaField, TextField } from '../ui/Field.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { showToast } from '../ui/toasts.ts'
import { formatBillingPeriod } from '../money/bill-text.ts'
import { amendmentWords } from './amendment-words.ts'
import { t, joined } from '../language/t.ts'

const messagesOf = (text: string) => text.split(/[\s,;]+/).filter((id) => id !== '')

const messagesMax = 200

/** `of`: what a credit note takes off, an amount or the sum of messages that are reviewed. */
const formSchema = z
  .object({
    of: z.enum(['nothing', 'amount', 'messages']),
    amount: z.string(),
    messageIds: z.string(),
    reason: reasonSchema,
    clientReason: lineSchema(500),
  })
  .superRefine(({ of, amount, messageIds }, context) => {
    const refuse = (path: 'amount' | 'messageIds', message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    const checked = amountInputSchema.safeParse(amount)
    if (of === 'amount' && !checked.success) refuse('amount', checked.error.issues[0]?.message ?? '')
    const { length } = messagesOf(messageIds)
    if (of === 'messages' && (length === 0 || length > messagesMax))
      refuse(
        'messageIds',
        length === 0
          ? t('Enter the IDs of the messages')
          : t('Enter at most {messagesMax} messages', { messagesMax }),
      )
  })
type AmendmentForm = z.input<typeof formSchema>

const routeOf = {
  withhold: amendmentRoutes.withholdPeriod,
  resume: amendmentRoutes.resumePeriod,
  void: amendmentRoutes.voidPeriod,
  readdress: amendmentRoutes.readdressPeriod,
  credit_note: amendmentRoutes.createCreditNote,
} as const

interface AmendBillDialogProps {
  readonly kind: AmendmentKind
  readonly bill: BillingPeriod
  readonly onClose: () => void
}

/** Something that is done about a bill before its payment, with a reason for staff and one for the client. */
export function AmendBillDialog({ kind, bill, onClose }: AmendBillDialogProps) {
  const terms = useTerms().data
  const words = amendmentWords[kind]
  const form = useApiForm(formSchema, {
    of: kind === 'credit_note' ? 'amount' : 'nothing',
    amount: '',
    messageIds: '',
    reason: '',
    clientReason: '',
  })
  const [of, amount] = useWatch({ control: form.control, name: ['of', 'amount'] })
  const onSaved = (made: Amendment) => {
    showToast(
      made.status === 'pending'
        ? { title: t('Approval asked for'), text: t('A second person must accept it.') }
        : { title: t('Success'), text: words.done },
    )
    onClose()
  }
  const moved = kind === 'void' ? bill.dueAmount : kind === 'credit_note' && of === 'amount' ? amount : '0'
  const asksSecond = kind === 'readdress' || needsSecondPerson(moved, terms)
  return (
    <SaveDialog
      onClose={onClose}
      title={words.act}
      description={t('{userName} · {bill} · {dueAmount} due', {
        userName: bill.userName,
        bill: formatBillingPeriod(bill),
        dueAmount: formatUsdt(bill.dueAmount),
      })}
      width="md"
      isFullOnPhone
      consequence={consequenceOf({ kind, of, moved, terms })}
      form={form}
      route={routeOf[kind]}
      refetch={moneyPaths}
      callOf={({ of: chosen, amount: taken, messageIds, reason, clientReason }) => ({
        params: { id: bill.id },
        body: {
          reason,
          clientReason,
          ...(chosen === 'amount' && { amount: taken }),
          ...(chosen === 'messages' && { messageIds: messagesOf(messageIds) }),
        },
      })}
      onSaved={onSaved}
      submitLabel={asksSecond ? t('Ask for approval') : words.act}
      tone={words.isDanger ? 'danger' : 'primary'}
      failure={t('Nothing was changed')}
    >
      {kind === 'credit_note' && <CreditFields form={form} bill={bill} />}
      {kind === 'readdress' && (
        <Pairs
          items={[
            {
              label: t('On the bill now'),
              value: (
                <span className="font-mono text-xs break-words">
                  {bill.usdtAddress === '' ? t('none') : groupByFour(bill.usdtAddress)}
                </span>
              ),
            },
            { label: t('From then on'), value: t('the address in the client’s payment profile') },
          ]}
        />
      )}
      <ReasonField rows={2} hint={t('For staff and the audit log')} {...fieldOf(form, 'reason')} />
      {kind !== 'resume' && (
        <TextField
          label={t('Note for the client')}
          maxLength={500}
          hint={t('Optional. The client sees it with the bill')}
          {...fieldOf(form, 'clientReason')}
        />
      )}
    </SaveDialog>
  )
}

interface ConsequenceFacts {
  readonly kind: AmendmentKind
  readonly of: AmendmentForm['of']
  readonly moved: string
  readonly terms: BillingTerms | undefined
}

function consequenceOf({ kind, of, moved, terms }: ConsequenceFacts): string {
  const { consequence } = amendmentWords[kind]
  if (kind === 'readdress')
    return joined(
      consequence,
      t('A second person can approve it in {hours} hours at the earliest.', {
        hours: terms?.addressWaitHours ?? 72,
      }),
    )
  if (kind === 'credit_note' && of === 'messages')
    return t(
      'The messages are held until somebody decides on them. Above {limit}, a second person must approve.',
      { limit: formatUsdt(terms?.secondPersonAbove) },
    )
  return joined(secondPersonNote(moved, terms), consequence)
}

interface CreditFieldsProps {
  readonly form: UseFormReturn<AmendmentForm, unknown, z.output<typeof formSchema>>
  readonly bill: BillingPeriod
}

function CreditFields({ form, bill }: CreditFieldsProps) {
  const [of, setOf] = useState<'amount' | 'messages'>('amount')
  return (
    <>
      <Segmented
        label={t('What is deducted')}
        value={of}
        onChange={(next) => {
          setOf(next)
          form.setValue('of', next)
          form.clearErrors()
        }}
        options={[
          { value: 'amount', label: t('An amount') },
          { value: 'messages', label: t('Messages under review') },
        ]}
      />
      {of === 'amount' ? (
        <NumberField
          label={t('Amount (USDT)')}
          step="0.01"
          min="0"
          hint={t('At most {dueAmount}', { dueAmount: formatUsdt(bill.dueAmount) })}
          {...fieldOf(form, 'amount')}
        />
      ) : (
        <TextAreaField
          label={t('Message IDs')}
          rows={4}
          hint={t(
            'Up to 200 IDs of messages of this bill. Their sum is deducted, and they are held for review',
          )}
          {...fieldOf(form, 'messageIds')}
        />
      )}
    </>
  )
}
