// One dispute: its clients with what can be done, and its lines, each with a link to its messages.
import { Link } from '@tanstack/react-router'
import {
  disputeOutcomes,
  disputeRoutes,
  type Dispute,
  type DisputeClient,
  type DisputeLine,
} from '@tollgate/contract/integrity/disputes.ts'
import { reasonSchema } from '@tollgate/contract/billing/debts.ts'
import { useState } from 'react'
import { z } from 'zod'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { useSession } from '../api/session.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation, useApiPages, useApiQuery } from '../api/use-api.ts'
import { counted } from '../format/counted.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { t } from '../language/t.ts'
import { moneyPaths } from '../money/queries.ts'
import { trafficPath } from '../paths.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Drawer, DrawerHead } from '../ui/Drawer.tsx'
import { ReasonField, SelectField } from '../ui/Field.tsx'
import type { StatusShape, Tone } from '../ui/StatusIcon.tsx'

export const disputePaths = ['/api/integrity', ...moneyPaths] as const

const outcomeLooks: Record<DisputeLine['outcome'], readonly [Tone, StatusShape, string]> = {
  none: ['bad', 'x', t('Nothing found')],
  differs: ['warn', 'half', t('Other count')],
  twice: ['warn', 'ring', t('Disputed before')],
  matched: ['ok', 'check', t('Found')],
}
const outcomeOptions = [
  { value: '', label: t('All lines') },
  ...disputeOutcomes.map((value) => ({ value, label: outcomeLooks[value][2] })),
]

export function DisputeDrawer({ dispute, onClose }: { dispute: Dispute; onClose: () => void }) {
  return (
    <Drawer isOpen onClose={onClose} label={t('Dispute {id} of {carrier}', dispute)}>
      <DrawerHead
        subject={dispute.carrier}
        badge={
          dispute.isMatched ? (
            <Badge tone="ok" icon="check">
              {t('Looked up')}
            </Badge>
          ) : (
            <Badge tone="info" icon="half">
              {t('Looking for messages...')}
            </Badge>
          )
        }
        time={formatDateTime(dispute.madeAt)}
        cells={[
          { label: t('Lines'), value: formatCount(dispute.lineCount) },
          { label: t('Messages'), value: formatCount(dispute.messageCount) },
          { label: t('Amount'), value: formatUsdt(dispute.amountUsd) },
        ]}
      />
      <div className="space-y-5">
        <Clients dispute={dispute} />
        <Lines dispute={dispute} />
      </div>
    </Drawer>
  )
}

function Clients({ dispute }: { dispute: Dispute }) {
  const clients = useApiQuery(disputeRoutes.listDisputeClients, { params: { id: dispute.id } })
  const [correcting, setCorrecting] = useState<DisputeClient>()
  const isAdmin = useSession().may('moneyAdjust')
  const { mutate, isPending } = useApiMutation(disputeRoutes.openDisputeCases, {
    refetch: disputePaths,
    success: t('The cases are made'),
    failure: t('No case was made'),
  })
  const found = clients.data ?? []
  const canOpen = dispute.isMatched && dispute.openedBy === ''
  return (
    <section aria-label={t('Clients')} className="space-y-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-md">{t('Clients')}</h3>
        {canOpen && found.some(({ messageCount, paidCount }) => messageCount > paidCount) && (
          <Button
            size="sm"
            tone="primary"
            isBusy={isPending}
            busyLabel={t('Saving...')}
            onClick={() => mutate({ params: { id: dispute.id }, body: {} })}
          >
            {t('Make cases')}
          </Button>
        )}
      </div>
      {clients.error && <FetchFailure title={t('Failed to fetch the clients')} of={clients} />}
      {found.length === 0 && !clients.error && (
        <p className="text-ink-3">{t('Nobody earned by these messages, or none is found yet.')}</p>
      )}
      <ul className="divide-y divide-line">
        {found.map((client) => (
          <li
            key={client.userId}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-1.5"
          >
            <span>{client.userName}</span>
            <span>
              {t('{count} messages, {amount}', {
                count: formatCount(client.messageCount),
                amount: formatUsdt(client.amountUsd),
              })}
            </span>
            <span className="flex w-full flex-wrap items-center justify-between gap-2 text-xs text-ink-3">
              {client.paidCount > 0 &&
                t('Paid already: {count} messages, {amount}', {
                  count: formatCount(client.paidCount),
                  amount: formatUsdt(client.paidUsd),
                })}
              {client.caseId !== null && t('Case {id}', { id: client.caseId })}
              {client.adjustmentId !== null && t('Correction {id} proposed', { id: client.adjustmentId })}
              {isAdmin && dispute.isMatched && client.paidCount > 0 && client.adjustmentId === null && (
                <Button size="sm" onClick={() => setCorrecting(client)}>
                  {t('Propose correction')}
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {correcting && (
        <CorrectDialog dispute={dispute} client={correcting} onClose={() => setCorrecting(undefined)} />
      )}
    </section>
  )
}

const formSchema = z.object({ reason: reasonSchema })

interface CorrectDialogProps {
  readonly dispute: Dispute
  readonly client: DisputeClient
  readonly onClose: () => void
}

function CorrectDialog({ dispute, client, onClose }: CorrectDialogProps) {
  const form = useApiForm(formSchema, {
    reason: t('{carrier} does not pay for these messages: dispute {id}', dispute),
  })
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Take {amount} back from {name}', {
        amount: formatUsdt(client.paidUsd),
        name: client.userName,
      })}
      width="md"
      consequence={t('A correction of the open period. Above the limit a second person must accept it.')}
      form={form}
      route={disputeRoutes.correctDispute}
      refetch={disputePaths}
      success={t('The correction is proposed')}
      callOf={({ reason }) => ({ params: { id: dispute.id }, body: { userId: client.userId, reason } })}
      submitLabel={t('Propose correction')}
      tone="danger"
      failure={t('Not proposed')}
    >
      <ReasonField
        required
        hint={t('Kept in the audit log and in the ledger')}
        {...fieldOf(form, 'reason')}
      />
    </SaveDialog>
  )
}

function Lines({ dispute }: { dispute: Dispute }) {
  const [outcome, setOutcome] = useState<'' | DisputeLine['outcome']>('')
  const list = useApiPages(disputeRoutes.listDisputeLines, {
    params: { id: dispute.id },
    query: outcome === '' ? {} : { outcome },
  })
  const rows = list.rows ?? []
  return (
    <section aria-label={t('Lines')} className="space-y-2">
      <SelectField
        label={t('Lines')}
        value={outcome}
        options={outcomeOptions}
        onChange={(event) => setOutcome(event.target.value as '' | DisputeLine['outcome'])}
      />
      {list.error && <FetchFailure title={t('Failed to fetch the lines')} of={list} />}
      {list.rows !== undefined && rows.length === 0 && <p className="text-ink-3">{t('No line matches')}</p>}
      <ul className="divide-y divide-line">
        {rows.map((line) => (
          <Line key={line.line} line={line} />
        ))}
      </ul>
      {list.hasMore && (
        <Button size="sm" isBusy={list.isLoadingMore} busyLabel={t('Loading...')} onClick={list.loadMore}>
          {t('Show more')}
        </Button>
      )}
    </section>
  )
}

/** The records list of the days of a line; it shows whole days. */
function recordsOf({ number, sender, from, until }: DisputeLine): string {
  const lastMoment = new Date(Date.parse(until) - 1).toISOString()
  return trafficPath({
    number,
    dateFrom: from.slice(0, 10),
    dateTo: lastMoment.slice(0, 10),
    ...(sender !== '' && { sender }),
  })
}

function Line({ line }: { line: DisputeLine }) {
  const [tone, icon, word] = outcomeLooks[line.outcome]
  return (
    <li className="space-y-0.5 py-2">
      <span className="flex flex-wrap items-center justify-between gap-2">
        <span>
          <span className="pe-2 text-ink-3">{t('line {line}', { line: line.line })}</span>
          <span className="phone-number">{formatPhone(line.number)}</span>
        </span>
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
      </span>
      <span className="block text-xs text-ink-3">
        {t('{from} to {to}', { from: formatDateTime(line.from), to: formatDateTime(line.until) })}
        {line.sender !== '' && (
          <>
            {' · '}
            {t('from')} <span className="phone-number">{formatPhone(line.sender)}</span>
          </>
        )}
      </span>
      <span className="flex flex-wrap items-center justify-between gap-2">
        <span>
          {line.claimedCount === null
            ? counted(line.messageCount, '1 message', '{count} messages')
            : t('{found} of {claimed} messages', {
                found: formatCount(line.messageCount),
                claimed: formatCount(line.claimedCount),
              })}
          {line.twiceCount > 0 && (
            <span className="text-ink-3">
              {' · '}
              {t('disputed before: {count}', { count: formatCount(line.twiceCount) })}
            </span>
          )}
        </span>
        {line.messageCount > 0 && (
          <Link
            to={recordsOf(line) as string}
            className="text-accent-ink underline underline-offset-2"
            aria-label={t('Messages of line {line}', { line: line.line })}
          >
            {t('Messages')}
          </Link>
        )}
      </span>
    </li>
  )
}
