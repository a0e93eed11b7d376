// One case: its sentence, and its senders as a ladder by block, so that neighbours stand together.
import { caseRoutes, type CaseSender, type IntegrityCase } from '@tollgate/contract/integrity/integrity.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatDateTime, formatDay } from '../format/dates.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { formatSentences } from '../format/sentences.ts'
import { t } from '../language/t.ts'
import { Drawer, DrawerHead } from '../ui/Drawer.tsx'
import { Notice } from '../ui/Notice.tsx'
import { CaseLevelBadge } from './CaseLevelBadge.tsx'

interface CaseDrawerProps {
  readonly found: IntegrityCase
  readonly sendersMax: number
  readonly onClose: () => void
}

export function CaseDrawer({ found, sendersMax, onClose }: CaseDrawerProps) {
  const senders = useApiQuery(caseRoutes.listCaseSenders, { params: { id: found.id } })
  return (
    <Drawer
      isOpen
      onClose={onClose}
      label={t('Case {id} of {userName}', { id: found.id, userName: found.userName })}
    >
      <DrawerHead
        subject={found.userName}
        badge={<CaseLevelBadge level={found.level} />}
        time={formatDay(found.day)}
        cells={[
          { label: t('Senders'), value: formatCount(found.senderCount) },
          { label: t('Messages'), value: formatCount(found.messageCount) },
          { label: t('Amount'), value: formatUsdt(found.amountUsd) },
        ]}
      />
      <div className="space-y-5">
        <Notice tone="warn" title={t('Why')}>
          {formatSentences(found.explanationWords)}
        </Notice>
        {senders.error && <FetchFailure title={t('Failed to fetch the senders')} of={senders} />}
        {(senders.data ?? []).length > 0 && <Ladder senders={senders.data ?? []} />}
        {found.senderCount > sendersMax && (
          <p className="text-ink-3">
            {t('The first {count} senders, in the order of their numbers.', {
              count: formatCount(sendersMax),
            })}
          </p>
        )}
      </div>
    </Drawer>
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
