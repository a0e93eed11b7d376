// The SMS of a line of released or reviewed records: the first hundred with links to them, and the sums of all when there
// are more.
import type { PeriodLine } from '@tollgate/contract/billing/bills.ts'
import { Link } from '@tanstack/react-router'
import { formatDateTime } from '../../format/dates.ts'
import { formatAmountFigure, formatCount, formatRate, formatUsdt } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { paths } from '../../paths.ts'
import { t } from '../../language/t.ts'
import { tNodes } from '../../language/t-nodes.tsx'

/** In the drawer of a bill, folded. */
export function ReviewedMessages({ line }: { line: PeriodLine }) {
  const { kind, messages } = line
  if (messages.length === 0) return null
  return (
    <details className="pt-1 text-xs">
      <summary className="cursor-pointer text-ink-2">{t('Show the SMS')}</summary>
      <div className="text-ink-2 *:pt-1.5">
        <ReviewedSums line={line} />
      </div>
      <ul
        aria-label={kind === 'review' ? t('Reviewed SMS') : t('Released SMS')}
        className="space-y-1.5 pt-1.5"
      >
        {messages.map(({ id, at, number, amount, heldIn }) => (
          <li key={id}>
            <Link
              to={paths.records as string}
              search={{ open: id } as never}
              aria-label={t('Record {id}', { id })}
              className="font-mono break-all text-accent-ink underline underline-offset-2"
            >
              {id}
            </Link>
            <span className="block text-ink-2">
              {tNodes('{number}, {time}, held in period #{period}: {amount}', {
                number: <span className="phone-number">{formatPhone(number)}</span>,
                time: formatDateTime(at),
                period: heldIn,
                amount: formatUsdt(amount),
              })}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** On paper. */
export function PrintedMessages({ line }: { line: PeriodLine }) {
  return (
    <span className="block text-[8pt]">
      <ReviewedSums line={line} />
      {line.messages.map(({ id, at, number, amount, heldIn }) => (
        <span key={id} className="block">
          <span className="font-mono">{id}</span>{' '}
          {t('{number}, {time}, held in period #{period}: {amount}', {
            number: formatPhone(number),
            time: formatDateTime(at),
            period: heldIn,
            amount: formatAmountFigure(amount),
          })}
        </span>
      ))}
    </span>
  )
}

/** By number and rate; nothing when each message is shown. */
function ReviewedSums({
  line: { messages, messageCount, messageAmount, messageSums },
}: {
  line: PeriodLine
}) {
  if (messageCount <= messages.length) return null
  return (
    <>
      {messageSums.map(({ number, rate, count, amount }) => (
        <span key={`${number} ${rate}`} className="block">
          {t('{number} at {rate}: {count} SMS, {amount}', {
            number: formatPhone(number),
            rate: rate === '' ? '–' : formatRate(rate),
            count: formatCount(count),
            amount: formatUsdt(amount),
          })}
        </span>
      ))}
      <span className="block">
        {t('In all {count} SMS, {amount}. The first {shown} are shown; the signed records have each one.', {
          count: formatCount(messageCount),
          amount: formatUsdt(messageAmount),
          shown: formatCount(messages.length),
        })}
      </span>
    </>
  )
}
