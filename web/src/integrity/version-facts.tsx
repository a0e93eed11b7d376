// What is known of a version before it goes live: what it changes, and what it would have held.
import type { BackTest } from '@tollgate/contract/integrity/back-tests.ts'
import { formatDay } from '../format/dates.ts'
import { formatUsdt } from '../format/money.ts'
import { t } from '../language/t.ts'
import { Pairs } from '../ui/Card.tsx'
import type { FigureChange } from './rule-words.ts'
import { shareOf } from './version-state.tsx'

export function Changes({ changes }: { changes: readonly FigureChange[] }) {
  if (changes.length === 0) return <p className="text-ink-3">{t('Nothing.')}</p>
  return (
    <ul className="divide-y divide-line" aria-label={t('What differs')}>
      {changes.map(({ key, ruleLabel, label, unit, before, after }) => (
        <li key={key} className="flex items-baseline justify-between gap-4 py-1.5">
          <span className="min-w-0">
            {label}
            <span className="block text-xs text-ink-3">{ruleLabel}</span>
          </span>
          <span className="shrink-0">{t('{before} → {after} {unit}', { before, after, unit })}</span>
        </li>
      ))}
    </ul>
  )
}

/** What a back-test of the version found. */
export function Tried({ test }: { test: BackTest }) {
  return (
    <section className="space-y-2">
      <h3 className="text-md">
        {t('Back-test of {from} to {until}', {
          from: formatDay(test.fromDay),
          until: formatDay(test.untilDay),
        })}
      </h3>
      <Pairs
        items={[
          {
            label: t('Would have held'),
            value: t('{amount}, {share} % of {earned}', {
              amount: formatUsdt(test.held.amountUsd),
              share: shareOf(test.held.amountUsd, test.earnedUsd),
              earned: formatUsdt(test.earnedUsd),
            }),
          },
          { label: t('Of it refused since'), value: formatUsdt(test.held.refusedUsd) },
          { label: t('Of it released since'), value: formatUsdt(test.held.releasedUsd) },
        ]}
      />
    </section>
  )
}
