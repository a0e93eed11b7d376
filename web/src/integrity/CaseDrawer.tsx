// One case: its sentence, its day beside usual ones, its senders as a ladder by block, and messages that it holds. What is
// decided here counts for all of it.
import { Link } from '@tanstack/react-router'
import {
  caseRoutes,
  caseSendersMax,
  type CaseSender,
  type IntegrityCase,
  type IntegrityCaseView,
} from '@tollgate/contract/integrity/integrity.ts'
import { useState } from 'react'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { Notes } from '../api/Notes.tsx'
import { useSession, useUser } from '../api/session.tsx'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatDateTime, formatDay, formatSecond } from '../format/dates.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { formatSentences } from '../format/sentences.ts'
import { t } from '../language/t.ts'
import { paths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { BarChart } from '../ui/charts/BarChart.tsx'
import { Drawer, DrawerHead } from '../ui/Drawer.tsx'
import { Notice } from '../ui/Notice.tsx'
import { CaseBadge } from './CaseState.tsx'
import { DecideCaseDialog, ExtendCaseDialog, type CaseAct } from './DecideCaseDialog.tsx'
import { askedText, heldPaths } from './DecideHoldsDialog.tsx'

interface CaseDrawerProps {
  readonly id: string
  /** As the list had it. */
  readonly shown: IntegrityCase
  readonly onClose: () => void
}

export function CaseDrawer({ id, shown, onClose }: CaseDrawerProps) {
  const view = useApiQuery(caseRoutes.getCase, { params: { id } })
  const { may } = useSession()
  const [act, setAct] = useState<CaseAct>()
  const found = view.data ?? shown
  const isHeld = found.state !== 'dry'
  return (
    <Drawer
      isOpen
      onClose={onClose}
      label={t('Case {id} of {userName}', { id, userName: found.userName })}
      foot={found.state === 'open' && <Acts found={found} onAct={setAct} />}
    >
      <DrawerHead
        subject={found.userName}
        badge={<CaseBadge found={found} />}
        time={formatDay(found.day)}
        cells={[
          { label: t('Senders'), value: formatCount(found.senderCount) },
          { label: t('Messages'), value: formatCount(isHeld ? found.heldCount : found.messageCount) },
          { label: t('Amount'), value: formatUsdt(isHeld ? found.heldUsd : found.amountUsd) },
        ]}
      />
      <div className="space-y-5">
        <Notice tone="warn" title={t('Why')}>
          {formatSentences(found.explanationWords)}
          {found.asked && (
            <p className="pt-1">
              {askedText(found.asked)}: <bdi>{found.asked.reason}</bdi>
            </p>
          )}
        </Notice>
        <TooLate found={found} />
        {view.error && <FetchFailure title={t('Failed to fetch the case')} of={view} />}
        {view.data && <Hours view={view.data} />}
        <Senders found={found} />
        {view.data && <Messages messages={view.data.messages} />}
        {may('notes') && (
          <section className="space-y-2" aria-label={t('Notes')}>
            <h3 className="text-md">{t('Notes')}</h3>
            <p className="text-ink-3">{t('Only staff read them')}</p>
            <Notes objectType="integrity_case" objectId={id} />
          </section>
        )}
      </div>
      {act === 'extend' && <ExtendCaseDialog found={found} onClose={() => setAct(undefined)} />}
      {act !== undefined && act !== 'extend' && (
        <DecideCaseDialog found={found} act={act} onClose={() => setAct(undefined)} />
      )}
    </Drawer>
  )
}

function Acts({ found, onAct }: { found: IntegrityCase; onAct: (act: CaseAct) => void }) {
  const { username } = useUser()
  const take = useApiMutation(caseRoutes.takeCase, {
    refetch: heldPaths,
    success: t('You look at this case'),
  })
  const isMine = (action: string) => found.asked?.by === username && found.asked.action === action
  return (
    <>
      {!isMine('release') && (
        <>
          <Button isDisabled={found.isBeingHeld} onClick={() => onAct('release')}>
            {t('Release')}
          </Button>
          <Button isDisabled={found.isBeingHeld} onClick={() => onAct('remember')}>
            {t('Release and remember')}
          </Button>
        </>
      )}
      {!isMine('confirm') && (
        <Button
          tone="danger"
          isDisabled={found.isBeingHeld || found.billedFrom !== null}
          onClick={() => onAct('confirm')}
        >
          {t('Refuse')}
        </Button>
      )}
      <Button onClick={() => onAct('extend')}>{t('Decide later')}</Button>
      {found.owner !== username && (
        <Button isDisabled={take.isPending} onClick={() => take.mutate({ params: { id: found.id } })}>
          {t('Take')}
        </Button>
      )}
    </>
  )
}

const hourLabel = (hour: number) => `${String(hour).padStart(2, '0')}:00`

function Hours({ view: { hours, usualHours, ordinaryDay, userName } }: { view: IntegrityCaseView }) {
  if (!hours.some((count) => count > 0)) return null
  const barsOf = (counts: readonly number[]) =>
    counts.map((count, hour) => ({
      label: hourLabel(hour),
      tick: hour % 6 === 0 ? hourLabel(hour) : '',
      values: [count],
      ...(usualHours !== null && { compare: usualHours[hour]?.most ?? 0 }),
    }))
  const compare = usualHours === null ? {} : { compareLabel: t('The most on usual days') }
  return (
    <section className="space-y-3">
      <h3 className="text-md">{t('Hours of the day, in UTC')}</h3>
      <p className="text-ink-3">
        {t('Ten minutes in which a sender wrote, of all senders of {userName}.', { userName })}
      </p>
      <BarChart
        label={t('This day')}
        series={[{ label: t('This day'), colour: 1 }]}
        bars={barsOf(hours)}
        totalLabel={t('In all')}
        heightPx={120}
        {...compare}
      />
      {ordinaryDay && (
        <BarChart
          label={t('An ordinary day: {day}', { day: formatDay(ordinaryDay.day) })}
          series={[{ label: t('An ordinary day: {day}', { day: formatDay(ordinaryDay.day) }), colour: 2 }]}
          bars={barsOf(ordinaryDay.hours)}
          totalLabel={t('In all')}
          heightPx={120}
          {...compare}
        />
      )}
    </section>
  )
}

/** What was paid or on its way when it was to be held. */
function TooLate({ found }: { found: IntegrityCase }) {
  if (found.lateCount === 0) return null
  return (
    <Notice tone="warn" title={t('Too late')}>
      {t(
        '{count} messages, {amount}, were paid or on their way already. They stay so; a correction takes the amount back.',
        { count: formatCount(found.lateCount), amount: formatUsdt(found.lateUsd) },
      )}
    </Notice>
  )
}

function Senders({ found }: { found: IntegrityCase }) {
  const senders = useApiQuery(caseRoutes.listCaseSenders, { params: { id: found.id } })
  return (
    <>
      {senders.error && <FetchFailure title={t('Failed to fetch the senders')} of={senders} />}
      {(senders.data ?? []).length > 0 && <Ladder senders={senders.data ?? []} />}
      {found.senderCount > caseSendersMax && (
        <p className="text-ink-3">
          {t('The first {count} senders, in the order of their numbers.', {
            count: formatCount(caseSendersMax),
          })}
        </p>
      )}
    </>
  )
}

function Ladder({ senders }: { senders: readonly CaseSender[] }) {
  const blocks = new Map<string, CaseSender[]>()
  for (const each of senders) blocks.set(each.block, [...(blocks.get(each.block) ?? []), each])
  return (
    <ul className="space-y-4">
      {[...blocks].map(([block, members]) => (
        <li key={block}>
          <h3 className="phone-number text-ink-3">
            {members[0]?.sender === block ? block : `${formatPhone(block)}…`}
          </h3>
          <ul className="divide-y divide-line">
            {members.map(({ sender, messageCount, amountUsd, firstAt, lastAt }) => (
              <li key={sender} className="flex flex-wrap justify-between gap-x-4 py-1.5">
                <span className="phone-number">{formatPhone(sender)}</span>
                <span>
                  {t('{count} messages, {amount}', {
                    count: formatCount(messageCount),
                    amount: formatUsdt(amountUsd),
                  })}
                </span>
                <span className="w-full text-xs text-ink-3">
                  {t('{from} to {to}', { from: formatDateTime(firstAt), to: formatDateTime(lastAt) })}
                </span>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

/** The newest messages, each as a link to its record, where whoever may read texts finds the text. */
function Messages({ messages }: { messages: IntegrityCaseView['messages'] }) {
  if (messages.length === 0) return null
  return (
    <section className="space-y-2">
      <h3 className="text-md">{t('Messages that it holds')}</h3>
      <ul className="divide-y divide-line">
        {messages.map(({ messageId, createdAt, sender, number, amountUsd }) => (
          <li key={messageId} className="flex flex-wrap justify-between gap-x-4 py-1.5">
            <Link
              to={paths.records as string}
              search={{ open: messageId } as never}
              className="font-mono text-accent-ink underline underline-offset-2"
            >
              {formatDay(createdAt)} {formatSecond(createdAt)}
            </Link>
            <span className="phone-number">{formatPhone(sender)}</span>
            <span className="phone-number">{formatPhone(number)}</span>
            <span>{formatUsdt(amountUsd)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
