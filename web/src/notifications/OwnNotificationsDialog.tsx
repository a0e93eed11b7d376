import { Link } from '@tanstack/react-router'
import type { UseQueryResult } from '@tanstack/react-query'
import type { OwnNotification } from '@tollgate/contract/alerts/alerts.ts'
import { Unfetched } from '../api/FetchFailure.tsx'
import { formatInstant } from '../format/dates.ts'
import { counted } from '../format/counted.ts'
import { formatUsdt } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { paths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { EmptyState } from '../ui/States.tsx'
import { StatusIcon, type StatusShape, type Tone } from '../ui/StatusIcon.tsx'
import { t } from '../language/t.ts'
import { pricedNumbers, rateChange } from './own.ts'

interface OwnNotificationsDialogProps {
  readonly list: UseQueryResult<OwnNotification[], Error>
  /** Later ones are new to the reader. */
  readonly unseenSince: string
  readonly onClose: () => void
}

/** What happened in the last 30 days, the newest first. */
export function OwnNotificationsDialog({ list, unseenSince, onClose }: OwnNotificationsDialogProps) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Notifications')}
      description={t('Payments, answers to your requests, numbers and rates of the last 30 days.')}
      width="md"
      closeLabel={t('Close')}
      action={
        <Button tone="primary" onClick={onClose}>
          {t('Close')}
        </Button>
      }
    >
      {list.data ? (
        list.data.length === 0 ? (
          <EmptyState title={t('No notifications yet')} />
        ) : (
          <ul aria-label={t('Notifications')} className="divide-y divide-line">
            {list.data.map((notice) => (
              <OwnNotice
                key={keyOf(notice)}
                notice={notice}
                isUnread={notice.at > unseenSince}
                onFollow={onClose}
              />
            ))}
          </ul>
        )
      ) : (
        <Unfetched
          of={list}
          title={t('Failed to fetch the notifications')}
          className="h-40 w-full rounded-lg"
        />
      )}
    </Dialog>
  )
}

/** Prices may start together. */
const keyOf = (notice: OwnNotification): string =>
  `${notice.kind} ${notice.at} ${notice.kind === 'price' ? `${notice.before} ${notice.number}` : ''}`

interface Shown {
  readonly text: string
  readonly more?: string
  readonly to: string
  readonly search?: object
  readonly icon: readonly [Tone, StatusShape]
}

const ok = ['ok', 'check'] as const

function shownOf(notice: OwnNotification): Shown {
  if (notice.kind === 'paid')
    return {
      text: t('{amount} was paid to you', { amount: formatUsdt(notice.amount) }),
      to: paths.payment,
      search: { tab: 'account' },
      icon: ok,
    }
  if (notice.kind === 'rate') return { text: rateChange(notice), to: paths.numbers, icon: ['info', 'ring'] }
  if (notice.kind === 'price')
    return {
      text: rateChange(notice),
      more: pricedNumbers(notice),
      to: paths.numbers,
      icon: ['info', 'ring'],
    }
  if (notice.kind === 'number')
    return {
      text: counted(notice.count, 'A number was assigned to you', '{count} numbers were assigned to you'),
      ...(notice.count === 1 && { more: formatPhone(notice.number) }),
      to: paths.numbers,
      icon: ok,
    }
  return { ...answerOf(notice), to: paths.numberRequests }
}

function answerOf({ status, reason, number }: Extract<OwnNotification, { kind: 'request' }>) {
  if (status === 'rejected')
    return { text: t('Your number request was rejected'), more: reason, icon: ['bad', 'x'] as const }
  if (status === 'approved')
    return { text: t('Your number request was approved'), icon: ['info', 'half'] as const }
  return {
    text: t('Your number request was answered'),
    more: number === '' ? '' : formatPhone(number),
    icon: ok,
  }
}

function OwnNotice({
  notice,
  isUnread,
  onFollow,
}: {
  readonly notice: OwnNotification
  readonly isUnread: boolean
  readonly onFollow: () => void
}) {
  const { text, more = '', to, search, icon } = shownOf(notice)
  const [tone, shape] = icon
  return (
    <li className="flex gap-2.5 py-2.5">
      <span className="pt-0.5">
        <StatusIcon shape={shape} tone={tone} />
      </span>
      <div className="min-w-0 grow space-y-0.5">
        <p className={`wrap-anywhere ${isUnread ? 'font-semibold' : 'font-medium'}`}>
          <Link
            to={to}
            {...(search && { search: search as never })}
            onClick={onFollow}
            className="rounded-xs text-accent-ink underline decoration-line-strong underline-offset-2 hover:decoration-current"
          >
            {text}
          </Link>
          {isUnread && <span className="sr-only"> {t('(unread)')}</span>}
        </p>
        {more !== '' && <p className="text-ink-2">{more}</p>}
        <p className="text-xs text-ink-3">{formatInstant(notice.at)}</p>
      </div>
    </li>
  )
}
