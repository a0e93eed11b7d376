import { auditRoutes, type AuditBreakKind, type AuditState } from '@tollgate/contract/audit.ts'
import { reasonSchema } from '@tollgate/contract/debts.ts'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { urlOf } from '../api/call.ts'
import { fieldOf, showFieldErrors, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { Button } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextAreaField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { showToast } from '../ui/toasts.ts'

const refetchIntervalMs = 30_000

/** The result of the log's check, and the signed head that somebody should keep elsewhere. */
export function AuditProof() {
  const { data } = useApiQuery(auditRoutes.getAuditState, {}, { refetchIntervalMs })
  if (data === undefined) return null
  return (
    <div className="mb-4 space-y-4">
      {data.broken !== null && <BreakNotice broken={data.broken} />}
      <PublishedHead state={data} />
    </div>
  )
}

const found: Record<AuditBreakKind, string> = {
  altered: 'was altered or put in, or does not follow the one before it',
  missing: 'follows entries that were taken out',
  unkeyed: 'has no key in its link',
  unknown_key: 'was linked by a node with another SECRET_KEY, or its key is lost',
  cut: 'was there and is gone',
  added: 'stands behind the end of the log',
  head: 'is the end of the log, and the gateway did not write it there',
  published: 'is not what was published of it',
}

type Broken = NonNullable<AuditState['broken']>

function BreakNotice({ broken }: { broken: Broken }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Notice tone="bad" title="The audit log was altered in the database" isAlert>
      <p>
        Entry {broken.id} {found[broken.kind]}. Found {formatDateTime(broken.foundAt)}. Compare the log with a
        published head and a backup before you trust it.
      </p>
      <div className="pt-2">
        <Button size="sm" onClick={() => setOpen(true)}>
          Acknowledge
        </Button>
      </div>
      {isOpen && <AcknowledgeDialog broken={broken} onClose={() => setOpen(false)} />}
    </Notice>
  )
}

const formSchema = z.object({ reason: reasonSchema })

function AcknowledgeDialog({ broken, onClose }: { broken: Broken; onClose: () => void }) {
  const form = useApiForm(formSchema, { reason: '' })
  const { errors, isDirty } = form.formState
  const acknowledge = useApiMutation(auditRoutes.acknowledgeAuditBreak, {
    refetch: ['/api/audit'],
    failure: 'Not acknowledged',
    onSuccess: () => {
      showToast({ title: 'Acknowledged', text: 'The check goes on, and tells of anything else.' })
      onClose()
    },
  })
  const submit = form.handleSubmit(({ reason }) =>
    acknowledge.mutate(
      { body: { brokenId: broken.id, reason } },
      { onError: (error) => void showFieldErrors(form, error) },
    ),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Acknowledge the break"
      description={`Entry ${broken.id}, found ${formatDateTime(broken.foundAt)}`}
      width="md"
      isDirty={isDirty}
      onSubmit={(event) => void submit(event)}
      consequence="Ends this alarm. The break stays in the log, and your reason with it."
      action={
        <Button tone="primary" type="submit" isBusy={acknowledge.isPending} busyLabel="Saving...">
          Acknowledge
        </Button>
      }
    >
      <div className="space-y-4">
        {!errors.reason && <SaveFailure error={acknowledge.error} title="Not acknowledged" />}
        <TextAreaField
          label="Reason"
          hint="What happened, and who looked into it"
          {...fieldOf(form, 'reason')}
        />
      </div>
    </Dialog>
  )
}

function PublishedHead({ state }: { state: AuditState }) {
  const { head, checkedCount, checkedAt, wholeCheckedAt } = state
  return (
    <Card
      className="max-w-4xl"
      title="Published head"
      aside={
        <a
          className="inline-flex items-center gap-1.5 text-accent-ink hover:underline"
          href={urlOf(auditRoutes.exportAuditChain)}
          download
        >
          <Download size={14} strokeWidth={1.6} aria-hidden="true" />
          Export for checking
        </a>
      }
    >
      <p className="mb-3 text-ink-2">
        Each day the end of the log is signed. Keep the line outside this system: whoever rewrites the log
        later cannot make it fit.
      </p>
      <Pairs
        items={[
          {
            label: 'Checked',
            value:
              checkedAt === null
                ? 'Not yet'
                : `${formatCount(checkedCount)} ${checkedCount === 1 ? 'entry' : 'entries'}, last ${formatDateTime(checkedAt)}`,
          },
          {
            label: 'Whole log checked',
            value: wholeCheckedAt === null ? 'Not yet' : formatDateTime(wholeCheckedAt),
          },
          ...(head === null
            ? [{ label: 'Published', value: 'Not yet' }]
            : [
                {
                  label: 'Published',
                  value: `Entry ${head.entryId}, ${formatDateTime(head.publishedAt)}`,
                },
                {
                  label: 'Key fingerprint',
                  value: <span className="font-mono break-words">{head.fingerprint}</span>,
                },
                {
                  label: 'Signed line',
                  value: (
                    <span className="inline-flex max-w-full items-center gap-0.5">
                      <span className="truncate font-mono">{head.line}</span>
                      <CopyButton value={head.line} what="signed line" hasLabel />
                    </span>
                  ),
                },
              ]),
        ]}
      />
    </Card>
  )
}
