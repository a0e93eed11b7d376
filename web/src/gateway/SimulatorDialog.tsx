// Sends a test message to one of our numbers, and shows step by step what becomes of it.
import { Link } from '@tanstack/react-router'
import { recordsRoutes, type RecordDetail } from '@tollgate/contract/records/records.ts'
import type { RouteAnswer } from '@tollgate/contract/route.ts'
import { simulatorRoutes } from '@tollgate/contract/gateway/simulator.ts'
import { useState } from 'react'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { fieldOf, isToldAtFields, showFieldErrors, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatRate } from '../format/money.ts'
import { paths } from '../paths.ts'
import { timelineSteps } from '../records/timeline-steps.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextAreaField, TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Skeleton } from '../ui/States.tsx'
import { Timeline } from '../ui/Timeline.tsx'
import { NumberChoice } from './NumberChoice.tsx'
import { t } from '../language/t.ts'

type Sent = RouteAnswer<typeof simulatorRoutes.simulateMessage>

const failure = t('Failed to send the test message')
const pollMs = 1_000

interface SimulatorDialogProps {
  /** The number that is filled in; without it one of those there are is chosen. */
  readonly to?: string
  readonly onClose: () => void
}

export function SimulatorDialog({ to = '', onClose }: SimulatorDialogProps) {
  const form = useApiForm(simulatorRoutes.simulateMessage.body, {
    from: '447700900318',
    to,
    text: t('Test message'),
  })
  const [sent, setSent] = useState<Sent>()
  const send = useApiMutation(simulatorRoutes.simulateMessage, {
    refetch: ['/api/records', '/api/stats'],
    failure: false,
    onSuccess: (answer) => {
      setSent(answer)
      // What is sent is not asked about.
      form.reset(form.getValues())
    },
  })
  const submit = form.handleSubmit((body) =>
    send.mutate({ body }, { onError: (error) => void showFieldErrors(form, error) }),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Send a test message')}
      description={t('It goes the way of a message from a supplier, and earns nobody anything.')}
      width="md"
      closeLabel={t('Close')}
      isDirty={form.formState.isDirty}
      onSubmit={(event) => void submit(event)}
      action={
        <Button tone="primary" type="submit" isBusy={send.isPending} busyLabel={t('Sending...')}>
          {sent ? t('Send again') : t('Send')}
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={send.error} title={failure} isAtFields={isToldAtFields(form, send.error)} />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={t('From')} maxLength={20} {...fieldOf(form, 'from')} />
          {to === '' ? (
            <NumberChoice form={form} />
          ) : (
            <TextField label={t('To')} type="tel" {...fieldOf(form, 'to')} />
          )}
        </div>
        <TextAreaField label={t('Text')} rows={2} {...fieldOf(form, 'text')} />
        {sent && <WhatBecame key={sent.messageId} sent={sent} />}
      </div>
    </Dialog>
  )
}

/** The record's own timeline, read again until it has been handed on. */
function WhatBecame({ sent }: { readonly sent: Sent }) {
  const [isDone, setDone] = useState(false)
  const record = useApiQuery(
    recordsRoutes.getRecord,
    { params: { id: sent.messageId } },
    isDone ? {} : { refetchIntervalMs: pollMs },
  )
  const { data } = record
  if (data && !isDone && !isUnderWay(data)) setDone(true)
  return (
    <section
      aria-label={t('What happened to it')}
      aria-live="polite"
      className="space-y-3 border-t border-line pt-4"
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="flex items-center gap-2 font-semibold">
          {t('What happened to it')}
          {data && <StatusBadge kind="record" status={data.status} />}
        </h3>
        <Link
          to={paths.records as string}
          search={{ open: sent.messageId } as never}
          className="text-accent-ink underline underline-offset-2"
        >
          {t('Open the record')}
        </Link>
      </div>
      <Notice tone={sent.price ? 'ok' : 'warn'} title={priceText(sent)}>
        {sent.price
          ? t('As a test it earns nothing, and no bill or payout counts it.')
          : t('Assign the number to a client, so that messages earn and are handed on.')}
      </Notice>
      {record.error && !data && <FetchFailure of={record} title={t('Failed to fetch the record')} />}
      {data ? (
        <Timeline steps={timelineSteps(data.timeline)} />
      ) : (
        !record.error && <Skeleton className="h-32" />
      )}
      <RefreshNote of={[record]} />
    </section>
  )
}

const isUnderWay = ({ status }: RecordDetail): boolean => status === 'pending' || status === 'in_progress'

const priceSources = {
  number: t('the number’s own price'),
  client: t('the client’s rate'),
  global: t('the global rate'),
} as const

function priceText({ client, price }: Sent): string {
  if (price === null) return t('Nobody holds this number')
  return t('From a supplier it would earn {client} {rate}, {source}', {
    client,
    rate: formatRate(price.usdPerSms),
    source: priceSources[price.from],
  })
}
