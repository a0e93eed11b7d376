// The cases of traffic integrity: those that wait for a person first, then what the rules only noted and what is decided.
import { caseRoutes, type IntegrityCase } from '@tollgate/contract/integrity/integrity.ts'
import { useMemo, useState } from 'react'
import { tableOf } from '../api/FetchFailure.tsx'
import { useApiPages } from '../api/use-api.ts'
import { formatDateTime, formatDay } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { formatSentences } from '../format/sentences.ts'
import { zoneName } from '../language/reader.ts'
import { t } from '../language/t.ts'
import { Amount } from '../money/cells.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { DateField } from '../ui/DateField.tsx'
import { SelectField } from '../ui/Field.tsx'
import { EmptyState } from '../ui/States.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { CaseState } from './CaseState.tsx'

const CaseDrawer = lazyComponent(() => import('./CaseDrawer.tsx'), 'CaseDrawer')

const choices = {
  open: { label: t('Waits for a decision'), query: { state: 'open' } },
  hold: { label: t('Would be held'), query: { state: 'dry', level: 'hold' } },
  flag: { label: t('Only noted'), query: { level: 'flag' } },
  released: { label: t('Released'), query: { state: 'released' } },
  confirmed: { label: t('Refused'), query: { state: 'confirmed' } },
} as const
type Choice = keyof typeof choices

const isChoice = (value: string): value is Choice => value in choices

/** The cases of all clients, or of one. */
export function RuleCases({ userId }: { userId?: number | undefined }) {
  const [choice, setChoice] = useState<Choice>('open')
  const [decided, setDecided] = useState({ from: '', to: '' })
  const [open, setOpen] = useState<IntegrityCase>()
  const isDecided = choice === 'released' || choice === 'confirmed'
  const query = {
    userId,
    ...choices[choice].query,
    ...(isDecided && {
      decidedFrom: decided.from || undefined,
      decidedTo: decided.to || undefined,
      zone: zoneName() === 'UTC' ? undefined : zoneName(),
    }),
  }
  const list = useApiPages(caseRoutes.listCases, { query }, { refetchIntervalMs: moneyPollMs })
  const columns = useMemo(() => columnsOf(choice), [choice])
  const isNothingToDecide = choice === 'open' && list.rows?.length === 0
  return (
    <section className="space-y-3">
      <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <div className="max-w-prose">
          <h2 className="text-md">{t('Cases of the rules')}</h2>
          <p className="text-ink-3">
            {t(
              'Rules compare who writes, and how, with the days before. They read no texts. A case is decided as a whole.',
            )}
          </p>
        </div>
        <div className="flex flex-wrap items-end gap-2">
          <SelectField
            label={t('Cases')}
            value={choice}
            options={Object.entries(choices).map(([value, { label }]) => ({ value, label }))}
            onChange={({ target: { value } }) => isChoice(value) && setChoice(value)}
          />
          {isDecided && (
            <>
              <DateField
                label={t('Decided from')}
                zone={zoneName()}
                value={decided.from}
                onChange={({ target: { value } }) => setDecided({ ...decided, from: value })}
              />
              <DateField
                label={t('Decided to')}
                zone={zoneName()}
                value={decided.to}
                onChange={({ target: { value } }) => setDecided({ ...decided, to: value })}
              />
            </>
          )}
        </div>
      </div>
      {isNothingToDecide ? (
        // The holds below wait for somebody: an empty table would push them away.
        <p className="rounded-lg border border-line bg-surface px-4 py-3 text-ink-3">
          <span className="font-medium text-ink">{t('No case waits')}.</span>{' '}
          {t('In a dry run nothing is held: choose Would be held to see what the rules find.')}
        </p>
      ) : (
        <DataTable<IntegrityCase>
          label={t('Cases of the rules')}
          columns={columns}
          {...tableOf(list, t('Failed to fetch what the rules found'))}
          rowId={({ id }) => id}
          rowLabel={({ id, userName }) => t('Case {id} of {userName}', { id, userName })}
          loadingLabel={t('Loading what the rules found...')}
          loadingRows={1}
          openId={open?.id}
          onOpen={setOpen}
          empty={
            isDecided ? (
              <EmptyState title={t('No case was decided')} />
            ) : (
              <EmptyState title={t('The rules found nothing')}>
                {t('Most rules begin once a client has four days of messages.')}
              </EmptyState>
            )
          }
        />
      )}
      {open && <CaseDrawer id={open.id} shown={open} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

const columnsOf = (choice: Choice): readonly Column<IntegrityCase>[] => {
  const isHeld = choice !== 'hold' && choice !== 'flag'
  return [
    {
      ...subject,
      id: 'client',
      header: t('Client'),
      cell: ({ userName }) => (
        <span className="block max-w-40 truncate" title={userName}>
          {userName}
        </span>
      ),
    },
    { id: 'day', stackUnder: 'client', header: t('Day'), cell: ({ day }) => formatDay(day) },
    {
      id: 'why',
      header: t('Why'),
      cell: ({ explanationWords }) => (
        <span className="block max-w-120 whitespace-normal sm:min-w-32">
          {formatSentences(explanationWords)}
        </span>
      ),
    },
    {
      id: 'senders',
      stackUnder: 'messages',
      header: t('Senders'),
      align: 'right',
      cell: ({ senderCount }) => formatCount(senderCount),
    },
    {
      id: 'messages',
      stackUnder: 'amount',
      header: t('Messages'),
      align: 'right',
      cell: ({ heldCount, messageCount }) => formatCount(isHeld ? heldCount : messageCount),
    },
    {
      id: 'amount',
      header: t('Amount'),
      align: 'right',
      card: 'end',
      cell: ({ heldUsd, amountUsd }) => <Amount value={isHeld ? heldUsd : amountUsd} />,
    },
    {
      id: 'found',
      stackUnder: 'client',
      header: t('Found'),
      cell: ({ createdAt }) => formatDateTime(createdAt),
    },
    {
      id: 'owner',
      stackUnder: 'state',
      header: t('Looked at by'),
      cell: ({ owner }) => (owner === '' ? <span className="text-ink-3">–</span> : owner),
    },
    { id: 'state', header: t('Status'), cell: (found) => <CaseState found={found} /> },
  ]
}
