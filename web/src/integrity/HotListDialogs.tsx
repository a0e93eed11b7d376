// Puts senders on the hot list, by hand or by a file, and takes them off.
import { reasonSchema } from '@tollgate/contract/billing/debts.ts'
import {
  listedSenderRoutes,
  readListedSender,
  type ListedReport,
  type ListedSender,
} from '@tollgate/contract/integrity/listed-senders.ts'
import { useState } from 'react'
import { z } from 'zod'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation } from '../api/use-api.ts'
import { counted } from '../format/counted.ts'
import { formatCount } from '../format/money.ts'
import { t } from '../language/t.ts'
import { DateField } from '../ui/DateField.tsx'
import { ReasonField, TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { listedName } from './listed-name.ts'
import { FaultyLines, UploadDialog } from './UploadDialog.tsx'

const paths = ['/api/integrity/listed-senders'] as const

const addSchema = z.object({
  sender: z
    .string()
    .refine(
      (text) => readListedSender(text) !== undefined,
      t('Enter a sender, such as +44 7700 900123 or a name, or a block such as +44 7700 90*'),
    ),
  reason: reasonSchema,
  untilDay: z.string(),
})

export function AddListedDialog({ onClose }: { onClose: () => void }) {
  const form = useApiForm(addSchema, { sender: '', reason: '', untilDay: '' })
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Add to the hot list')}
      width="md"
      consequence={t('Their messages of the last 28 days become a case, and each new one belongs to it.')}
      form={form}
      route={listedSenderRoutes.addListedSender}
      refetch={paths}
      success={t('The sender is on the hot list')}
      callOf={({ sender, reason, untilDay }) => ({
        body: { sender, reason, untilDay: untilDay === '' ? null : untilDay },
      })}
      submitLabel={t('Add')}
      failure={t('Not added')}
    >
      <TextField
        label={t('Sender or block')}
        required
        hint={t(
          'A number, a name, or a block of ten thousand numbers: its digits without the last four, and a star',
        )}
        {...fieldOf(form, 'sender')}
      />
      <ReasonField required rows={2} {...fieldOf(form, 'reason')} />
      <DateField
        label={t('Last day')}
        hint={t('In UTC; empty: until somebody removes it')}
        {...fieldOf(form, 'untilDay')}
      />
    </SaveDialog>
  )
}

const removeSchema = z.object({ reason: reasonSchema })

export function RemoveListedDialog({ entry, onClose }: { entry: ListedSender; onClose: () => void }) {
  const form = useApiForm(removeSchema, { reason: '' })
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Take {sender} off the hot list', { sender: listedName(entry) })}
      description={entry.reason}
      width="md"
      consequence={t('What was found by it stays.')}
      form={form}
      route={listedSenderRoutes.removeListedSender}
      refetch={paths}
      success={t('The sender is off the hot list')}
      callOf={({ reason }) => ({ params: { id: entry.id }, body: { reason } })}
      submitLabel={t('Remove')}
      tone="danger"
      failure={t('Not removed')}
    >
      <ReasonField required rows={2} {...fieldOf(form, 'reason')} />
    </SaveDialog>
  )
}

export function ImportListedDialog({ onClose }: { onClose: () => void }) {
  const [reason, setReason] = useState('')
  const [untilDay, setUntilDay] = useState('')
  const [report, setReport] = useState<ListedReport>()
  const { mutate, isPending, error } = useApiMutation(listedSenderRoutes.importListedSenders, {
    refetch: paths,
    failure: false,
    onSuccess: setReport,
  })
  const forget = () => setReport(undefined)
  return (
    <UploadDialog
      title={t('Import into the hot list')}
      description={t('From a .csv, .xlsx or .xls file, or pasted below, with a column sender.')}
      placeholder={
        'sender,reason,until\n447700900123,Reported by a carrier,2027-01-31\n44770090*,Cards of one batch,'
      }
      fields={
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label={t('Reason of lines without one')}
            value={reason}
            maxLength={500}
            onChange={(event) => {
              setReason(event.target.value)
              forget()
            }}
          />
          <DateField
            label={t('Last day of lines without one')}
            value={untilDay}
            onChange={(event) => {
              setUntilDay(event.target.value)
              forget()
            }}
          />
        </div>
      }
      report={report && <Report report={report} />}
      isChecked={report !== undefined && report.faultCount === 0 && !report.isApplied}
      isDone={report?.isApplied === true}
      isBusy={isPending}
      error={error}
      failure={t('Not imported')}
      takeLabel={t('Import')}
      consequence={t('All lines are imported or none.')}
      onSend={(body, isTrial) =>
        mutate({
          query: {
            dryRun: isTrial ? 'true' : 'false',
            ...(reason.trim() !== '' && { reason }),
            ...(untilDay !== '' && { untilDay }),
          },
          body,
        })
      }
      onChanged={forget}
      onClose={onClose}
    />
  )
}

function Report({ report }: { report: ListedReport }) {
  const { lineCount, addedCount, renewedCount, faultCount, isApplied, faults } = report
  if (faultCount === 0)
    return (
      <Notice
        tone="ok"
        title={
          isApplied
            ? counted(lineCount, '1 line is on the hot list', '{count} lines are on the hot list')
            : counted(lineCount, '1 line can be imported', '{count} lines can be imported')
        }
        isAlert
      >
        {t('New: {added}. Already on the list, with the new reason and last day: {renewed}.', {
          added: formatCount(addedCount),
          renewed: formatCount(renewedCount),
        })}
      </Notice>
    )
  return (
    <FaultyLines
      lineCount={lineCount}
      faultCount={faultCount}
      faults={faults.map(({ line, sender: what, message, words = message }) => ({ line, what, words }))}
    />
  )
}
