import { answeredIdSchema, type OwnMessage } from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import type { ReceiptState } from '@tollgate/contract/vocabulary.ts'
import { Search } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { ApiError } from '../api/api-error.ts'
import { failureOf } from '../api/FetchFailure.tsx'
import { formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { formatWords } from '../format/sentences.ts'
import { shorten } from '../format/shorten.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { TextField } from '../ui/Field.tsx'
import { LongValue } from '../ui/LongValue.tsx'
import { PhoneNumber } from '../ui/PhoneNumber.tsx'
import { EmptyState } from '../ui/States.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { useOwnMessages, type OfSupplier } from './queries.ts'
import { t } from '../language/t.ts'

interface OwnMessagesProps extends OfSupplier {
  /** The id in the address of the page; empty before a search. */
  readonly id: string
  readonly onSearch: (id: string) => void
}

/** Finds what was sent by the message_id that its answer named. */
export function OwnMessages({ id, userId, onSearch }: OwnMessagesProps) {
  const [text, setText] = useState(id)
  const [searchedId, setSearchedId] = useState(id)
  // The palette, Back and Forward search too.
  if (searchedId !== id) {
    setSearchedId(id)
    setText(id)
  }
  const [error, setError] = useState<string>()
  const search = (event: FormEvent) => {
    event.preventDefault()
    const read = answeredIdSchema.safeParse(text)
    setError(read.success ? undefined : t('Enter the message_id of the answer: letters and digits'))
    if (read.success) onSearch(read.data)
  }
  return (
    <div className="space-y-4">
      <Card title={t('Find a message')}>
        <form role="search" onSubmit={search} className="flex flex-wrap items-start gap-2">
          <TextField
            label={t('Message ID')}
            isMono
            autoComplete="off"
            spellCheck={false}
            maxLength={64}
            fieldClassName="min-w-0 grow basis-64 max-w-120"
            hint={t('As submit_sm_resp named it, in any form: text, decimal or hexadecimal, long or short')}
            error={error}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" tone="primary" icon={Search} className="max-sm:w-full sm:mt-5">
            {t('Find')}
          </Button>
        </form>
      </Card>
      {answeredIdSchema.safeParse(id).success && <Matches id={id} userId={userId} />}
    </div>
  )
}

const receiptWords: Readonly<Record<ReceiptState, string>> = {
  none: t('None asked for'),
  later: t('Follows when the state is final'),
  waiting: t('Waits for a bind'),
  taken: t('Taken'),
  not_taken: t('Not taken'),
  forgotten: t('No longer known'),
}

const columns: readonly Column<OwnMessage>[] = [
  {
    id: 'phoneNumber',
    header: t('To'),
    isSubject: true,
    card: 'title',
    cell: ({ phoneNumber }) => <PhoneNumber value={phoneNumber} />,
  },
  {
    id: 'status',
    header: t('Status'),
    card: 'end',
    cell: ({ status }) => <StatusBadge kind="record" status={status} />,
  },
  { id: 'sender', header: t('From'), cell: ({ sender }) => <PhoneNumber value={sender} /> },
  { id: 'createdAt', header: t('Received'), cell: ({ createdAt }) => formatInstant(createdAt) },
  { id: 'updatedAt', header: t('State since'), cell: ({ updatedAt }) => formatInstant(updatedAt) },
  {
    id: 'part',
    header: t('Part'),
    cell: ({ part, smsCount }) =>
      part === null
        ? t('{count} SMS', { count: formatCount(smsCount) })
        : t('{position} of {total}, reference {reference}', { ...part }),
  },
  { id: 'receipt', header: t('Receipt'), cell: ({ receipt }) => <Receipt {...receipt} /> },
  {
    id: 'messageId',
    header: t('Message ID'),
    cell: ({ messageId }) => (
      <LongValue value={messageId} short={shorten(messageId, 8, 6)} what={t('Message ID')} />
    ),
  },
]

function Receipt({ state, at, attempts, error }: OwnMessage['receipt']) {
  return (
    <span className="block whitespace-normal">
      {receiptWords[state]}
      {attempts > 0 && (
        <span className="block text-ink-3">
          {attempts === 1
            ? t('1 try, {at}', { at: formatInstant(at) })
            : t('{attempts} tries, {at}', { attempts: formatCount(attempts), at: formatInstant(at) })}
        </span>
      )}
      {error !== '' && <span className="block text-pretty text-ink-3">{formatWords(error)}</span>}
    </span>
  )
}

function Matches({ id, userId }: { id: string } & OfSupplier) {
  const found = useOwnMessages(id, { userId })
  const isUnknown = found.error instanceof ApiError && found.error.status === 404
  return (
    <DataTable
      label={t('Messages with this id')}
      title={<h2 className="text-md">{t('Messages with this id')}</h2>}
      columns={columns}
      rows={isUnknown ? [] : found.data}
      rowId={({ messageId }) => messageId}
      rowLabel={({ phoneNumber }) => phoneNumber}
      loadingLabel={t('Looking for the message...')}
      {...(isUnknown ? {} : failureOf(found, t('Failed to look for the message')))}
      empty={
        <EmptyState title={t('No message has this id')}>
          {t('Enter it as the answer named it. Messages are found as long as their records are kept.')}
        </EmptyState>
      }
    />
  )
}
