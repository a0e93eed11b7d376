// What the rules of traffic integrity would hold: the cases of a dry run, each with its senders in a drawer.
import { caseRoutes, caseSendersMax, type IntegrityCase } from '@tollgate/contract/integrity/integrity.ts'
import type { CaseLevel } from '@tollgate/contract/vocabulary.ts'
import { useState } from 'react'
import { tableOf } from '../api/FetchFailure.tsx'
import { useApiPages } from '../api/use-api.ts'
import { formatDateTime, formatDay } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { formatSentences } from '../format/sentences.ts'
import { t } from '../language/t.ts'
import { Amount } from '../money/cells.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { SelectField } from '../ui/Field.tsx'
import { EmptyState } from '../ui/States.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { CaseDrawer } from './CaseDrawer.tsx'
import { CaseLevelBadge, levelNames } from './CaseLevelBadge.tsx'

type LevelChoice = 'all' | CaseLevel

const levelOptions = (['hold', 'flag', 'all'] as const).map((value) => ({
  value,
  label: value === 'all' ? t('All') : levelNames[value],
}))

/** The cases of all clients, or of one. */
export function RuleCases({ userId }: { userId?: number | undefined }) {
  const [level, setLevel] = useState<LevelChoice>('hold')
  const [open, setOpen] = useState<IntegrityCase>()
  const query = { userId, level: level === 'all' ? undefined : level }
  const list = useApiPages(caseRoutes.listCases, { query }, { refetchIntervalMs: moneyPollMs })
  return (
    <section className="space-y-3">
      <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <div className="max-w-prose">
          <h2 className="text-md">{t('What the rules would hold')}</h2>
          <p className="text-ink-3">
            {t(
              'A dry run: nothing of it is held. Rules compare who writes, and how, with the days before. They read no texts.',
            )}
          </p>
        </div>
        <SelectField
          label={t('Level')}
          value={level}
          options={levelOptions}
          onChange={(event) => setLevel(event.target.value as LevelChoice)}
        />
      </div>
      <DataTable<IntegrityCase>
        label={t('What the rules would hold')}
        columns={columns}
        {...tableOf(list, t('Failed to fetch what the rules found'))}
        rowId={({ id }) => id}
        rowLabel={({ id, userName }) => t('Case {id} of {userName}', { id, userName })}
        loadingLabel={t('Loading what the rules found...')}
        loadingRows={3}
        openId={open?.id}
        onOpen={setOpen}
        empty={
          <EmptyState title={t('The rules found nothing')}>
            {t('Most rules begin once a client has four days of messages.')}
          </EmptyState>
        }
      />
      {open && <CaseDrawer found={open} sendersMax={caseSendersMax} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

const columns: readonly Column<IntegrityCase>[] = [
  {
    id: 'client',
    header: t('Client'),
    isSubject: true,
    isHideable: false,
    card: 'title',
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
    cell: ({ messageCount }) => formatCount(messageCount),
  },
  {
    id: 'amount',
    header: t('Amount'),
    align: 'right',
    card: 'end',
    cell: ({ amountUsd }) => <Amount value={amountUsd} />,
  },
  {
    id: 'first',
    stackUnder: 'client',
    header: t('First seen'),
    cell: ({ firstAt }) => formatDateTime(firstAt),
  },
  {
    id: 'level',
    stackUnder: 'client',
    header: t('Level'),
    cell: ({ level }) => <CaseLevelBadge level={level} />,
  },
]
