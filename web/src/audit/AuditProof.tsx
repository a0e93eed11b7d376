import { auditRoutes, type AuditBreakKind, type AuditState } from '@tollgate/contract/audit/audit.ts'
import { reasonSchema } from '@tollgate/contract/billing/debts.ts'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { urlOf } from '../api/call.ts'
import { fieldOf, isToldAtFields, showFieldErrors, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { Button } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Fold } from '../ui/Fold.tsx'
import { TextAreaField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Skeleton } from '../ui/States.tsx'
import { showToast } from '../ui/toasts.ts'
import { t, joined } from '../language/t.ts'

const refetchIntervalMs = 30_000

/** The result of the log's check, and the signed head that somebody should keep elsewhere. */
export function AuditProof() {
  const state = useApiQuery(auditRoutes.getAuditState, {}, { refetchIntervalMs })
  const { data } = state
  if (data === undefined)
    return state.error ? (
      <FetchFailure of={state} title={t('Failed to check the audit log')} />
    ) : (
      // As high as the line, so that the list below stays where it is.
      <Skeleton className="mb-4 h-5 w-72 max-w-full" />
    )
  return (
    <div className="mb-4 space-y-4">
      {data.broken !== null && <BreakNotice broken={data.broken} />}
      <PublishedHead state={data} />
      <RefreshNote of={[state]} />
    </div>
  )
}

const breakTexts: Record<AuditBreakKind, (values: { readonly id: string }) => string> = {
  altered: (values) =>
    t('Entry {id} was changed or inserted, or does not follow from the one before it.', values),
  missing: (values) => t('Entries before entry {id} were removed.', values),
  unkeyed: (values) => t('Entry {id} is linked without a key.', values),
  unknown_key: (values) =>
    t('Entry {id} was linked by a node with another SECRET_KEY, or its key is lost.', values),
  cut: (values) => t('Entry {id} existed and is gone.', values),
  added: (values) => t('Entry {id} was added behind the end of the log.', values),
  head: (values) => t('Entry {id} is the end of the log, and the gateway did not write it there.', values),
  published: (values) => t('Entry {id} differs from what was published of it.', values),
}

type Broken = NonNullable<AuditState['broken']>

function BreakNotice({ broken }: { broken: Broken }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Notice tone="bad" title={t('The audit log was altered in the database')} isAlert>
      <p>
        {joined(
          breakTexts[broken.kind](broken),
          t('Found on {time}. Compare the log with a published head and a backup before you trust it.', {
            time: formatDateTime(broken.foundAt),
          }),
        )}
      </p>
      <div className="pt-2">
        <Button size="sm" onClick={() => setOpen(true)}>
          {t('Acknowledge')}
        </Button>
      </div>
      {isOpen && <AcknowledgeDialog broken={broken} onClose={() => setOpen(false)} />}
    </Notice>
  )
}

const formSchema = z.object({ reason: reasonSchema })

function AcknowledgeDialog({ broken, onClose }: { broken: Broken; onClose: () => void }) {
  const form = useApiForm(formSchema, { reason: '' })
  const { isDirty } = form.formState
  const acknowledge = useApiMutation(auditRoutes.acknowledgeAuditBreak, {
    refetch: ['/api/audit'],
    failure: t('Not acknowledged'),
    isShownInPlace: true,
    onSuccess: () => {
      showToast({ title: t('Acknowledged'), text: t('The check continues, and reports anything else.') })
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
      title={t('Acknowledge the break')}
      description={t('Entry {id}, found {foundAt}', {
        id: broken.id,
        foundAt: formatDateTime(broken.foundAt),
      })}
      width="md"
      isDirty={isDirty}
      onSubmit={(event) => void submit(event)}
      consequence={t('Ends this alarm. The break stays in the log, and your reason with it.')}
      action={
        <Button tone="primary" type="submit" isBusy={acknowledge.isPending} busyLabel={t('Saving...')}>
          {t('Acknowledge')}
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure
          error={acknowledge.error}
          title={t('Not acknowledged')}
          isAtFields={isToldAtFields(form, acknowledge.error)}
        />
        <TextAreaField
          label={t('Reason')}
          hint={t('What happened, and who looked into it')}
          {...fieldOf(form, 'reason')}
        />
      </div>
    </Dialog>
  )
}

function PublishedHead({ state }: { state: AuditState }) {
  const { head, checkedCount, checkedAt, wholeCheckedAt } = state
  const checked =
    checkedAt === null
      ? t('Not yet')
      : checkedCount === 1
        ? t('1 entry, last {at}', { at: formatDateTime(checkedAt) })
        : t('{count} entries, last {at}', {
            count: formatCount(checkedCount),
            at: formatDateTime(checkedAt),
          })
  return (
    <Fold className="max-w-4xl" label={t('Proof of the log: {checked}', { checked })}>
      <Card
        title={t('Published head')}
        aside={
          <a
            className="inline-flex items-center gap-1.5 text-accent-ink hover:underline"
            href={urlOf(auditRoutes.exportAuditChain)}
            download
          >
            <Download size={14} strokeWidth={1.6} aria-hidden="true" />
            {t('Export for checking')}
          </a>
        }
      >
        <p className="mb-3 text-ink-2">
          {t(
            'Each day the end of the log is signed. Keep the line outside this system: whoever rewrites the log later cannot make it fit.',
          )}
        </p>
        <Pairs
          items={[
            { label: t('Checked'), value: checked },
            {
              label: t('Whole log checked'),
              value: wholeCheckedAt === null ? t('Not yet') : formatDateTime(wholeCheckedAt),
            },
            ...(head === null
              ? [{ label: t('Published'), value: t('Not yet') }]
              : [
                  {
                    label: t('Published'),
                    value: t('Entry {entryId}, {publishedAt}', {
                      entryId: head.entryId,
                      publishedAt: formatDateTime(head.publishedAt),
                    }),
                  },
                  {
                    label: t('Key fingerprint'),
                    value: <span className="font-mono break-words">{head.fingerprint}</span>,
                  },
                  {
                    label: t('Signed line'),
                    value: (
                      <span className="inline-flex max-w-full items-center gap-0.5">
                        <span className="truncate font-mono">{head.line}</span>
                        <CopyButton value={head.line} what={t('signed line')} hasLabel />
                      </span>
                    ),
                  },
                ]),
          ]}
        />
      </Card>
    </Fold>
  )
}
