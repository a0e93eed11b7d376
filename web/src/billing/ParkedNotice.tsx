import { closeRoutes } from '@tollgate/contract/billing/close.ts'
import { QueueFailure } from '../api/QueueFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatSentences } from '../format/sentences.ts'
import { moneyPollMs } from '../money/queries.ts'
import { Notice } from '../ui/Notice.tsx'
import { zoneName } from '../language/reader.ts'
import { t } from '../language/t.ts'
import { tNodes } from '../language/t-nodes.tsx'
import { counted } from '../format/counted.ts'

/** Accounts that are not paid because their ledger does not balance, or a period of theirs could not be closed. Nothing when there are none. */
export function ParkedNotice() {
  const parked = useApiQuery(closeRoutes.listParked, {}, { refetchIntervalMs: moneyPollMs })
  const { data } = parked
  if (data === undefined || data.length === 0)
    return parked.error && <QueueFailure of={parked} title={t('Failed to fetch the parked accounts')} />
  return (
    <Notice
      tone="bad"
      title={counted(data.length, '1 account is parked', '{count} accounts are parked')}
      isAlert
    >
      <p>{t('No money goes to them until what is said here is fixed. All other accounts continue.')}</p>
      <ul className="pt-1">
        {data.map((account) => (
          <li key={account.userId}>
            {tNodes('{name}, since {time}: {reason}', {
              name: <strong>{account.userName}</strong>,
              time: `${formatDateTime(account.parkedAt)} ${zoneName()}`,
              reason: formatSentences(account.words),
            })}
          </li>
        ))}
      </ul>
      <RefreshNote of={[parked]} />
    </Notice>
  )
}
