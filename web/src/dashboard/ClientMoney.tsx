// A client's money, first on its home page: what it earns, is owed, and was paid.
import { Link } from '@tanstack/react-router'
import { booksRoutes } from '@tollgate/contract/books/books.ts'
import type { ReactNode } from 'react'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatAmountFigure } from '../format/money.ts'
import { ComingRate } from '../notifications/ComingRate.tsx'
import { DueStates, useOwnDue } from '../money/OwnDue.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { paths, recordsPath } from '../paths.ts'
import { CycleCount, CyclePace, CycleSplit, WeekByNumber } from '../records/CycleSplit.tsx'
import { useWeek } from '../records/queries.ts'
import { StatStrip } from '../ui/StatStrip.tsx'
import { t } from '../language/t.ts'

const polled = { refetchIntervalMs: moneyPollMs }

/** Each figure leads to what it is made of. */
export function ClientMoney() {
  const week = useWeek()
  const account = useApiQuery(booksRoutes.getOwnAccount, {}, polled)
  const due = useOwnDue()
  return (
    <div className="space-y-2">
      <ComingRate />
      <StatStrip
        label={t('Your money')}
        under={<RefreshNote of={[week, account, due]} />}
        stats={[
          {
            label: t('You earn, open cycle'),
            figure: figureOf(week, ({ earned }) => earned.amountUsd),
            unit: t('USDT'),
            note: week.data && (
              <>
                <CycleCount week={week.data} />
                {' · '}
                <WeekByNumber>{t('by number')}</WeekByNumber>
              </>
            ),
          },
          {
            label: t('Due to you'),
            figure: figureOf(due, ({ dueAmount }) => dueAmount),
            unit: t('USDT'),
            note: due.data && (
              <MoneyLink tab="billing">
                <DueStates due={due.data} />
              </MoneyLink>
            ),
          },
          {
            label: t('Held'),
            figure: figureOf(account, ({ held }) => held),
            unit: t('USDT'),
            note: (
              <RecordsLink url={recordsPath({ hold: 'held' })} label={t('The SMS that are held')}>
                {t('until somebody has reviewed it')}
              </RecordsLink>
            ),
          },
          {
            label: t('Paid to you'),
            figure: figureOf(account, ({ received }) => received),
            unit: t('USDT'),
            note: <MoneyLink tab="account">{t('all payments so far')}</MoneyLink>,
          },
        ]}
      />
      {(week.data !== undefined || week.error === null) && (
        <p className="min-h-5 px-1 text-ink-3 max-sm:min-h-10">
          {week.data && (
            <>
              <CyclePace week={week.data} /> <CycleSplit week={week.data} />
            </>
          )}
        </p>
      )}
    </div>
  )
}

/** An amount of an answer; a dash when it cannot be had, and nothing while it is fetched. */
function figureOf<Answer>(
  { data, error }: { data?: Answer | undefined; error: Error | null },
  amountOf: (answer: Answer) => string,
): string | undefined {
  if (data !== undefined) return formatAmountFigure(amountOf(data))
  return error === null ? undefined : '–'
}

function MoneyLink({ tab, children }: { tab: 'billing' | 'account'; children: ReactNode }) {
  return (
    <Link
      to={paths.payment as string}
      search={{ tab } as never}
      className="text-accent-ink underline underline-offset-2"
    >
      {children}
    </Link>
  )
}
