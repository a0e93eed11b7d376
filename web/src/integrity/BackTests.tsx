// Versions of the thresholds tried on days that are over, two of them side by side.
import {
  backTestDaysMax,
  backTestRoutes,
  type BackTest,
  type BackTestSum,
} from '@tollgate/contract/integrity/back-tests.ts'
import { versionRoutes } from '@tollgate/contract/integrity/versions.ts'
import { useState } from 'react'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { t } from '../language/t.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { NumberField, SelectField } from '../ui/Field.tsx'
import { EmptyState } from '../ui/States.tsx'
import { ruleName } from './rule-words.ts'
import { shareOf, useBackTests } from './version-state.tsx'

export function BackTests() {
  const { list } = useBackTests()
  const tests = list.data ?? []
  const [firstId, setFirstId] = useState('')
  const [secondId, setSecondId] = useState('')
  const first = tests.find(({ id }) => id === firstId) ?? tests[0]
  const second = tests.find(({ id }) => id === secondId)
  const options = tests.map((test) => ({ value: test.id, label: nameOf(test) }))
  return (
    <div className="space-y-4">
      <NewBackTest />
      {list.error && <FetchFailure title={t('Failed to fetch the back-tests')} of={list} />}
      {list.data !== undefined && first === undefined && (
        <Card>
          <EmptyState title={t('No version was tried yet')}>
            {t('A back-test says what a version of the thresholds would have held on days that are over.')}
          </EmptyState>
        </Card>
      )}
      {first !== undefined && (
        <>
          <div className="flex flex-wrap gap-2">
            <SelectField
              label={t('Back-test')}
              value={first.id}
              options={options}
              onChange={(event) => setFirstId(event.target.value)}
            />
            <SelectField
              label={t('Beside it')}
              value={secondId}
              options={[
                { value: '', label: t('none') },
                ...options.filter(({ value }) => value !== first.id),
              ]}
              onChange={(event) => setSecondId(event.target.value)}
            />
          </div>
          <div className={second === undefined ? '' : 'grid gap-4 lg:grid-cols-2'}>
            <Result test={first} />
            {second !== undefined && second.id !== first.id && <Result test={second} />}
          </div>
        </>
      )}
    </div>
  )
}

const nameOf = ({ id, versionId, fromDay, untilDay }: BackTest): string =>
  t('{id}: version {version}, {from} to {until}', {
    id,
    version: versionId,
    from: formatDay(fromDay),
    until: formatDay(untilDay),
  })

function NewBackTest() {
  const versions = useApiQuery(versionRoutes.listVersions)
  const [versionId, setVersionId] = useState('')
  const [days, setDays] = useState(String(backTestDaysMax))
  const { mutate, isPending } = useApiMutation(backTestRoutes.addBackTest, {
    refetch: ['/api/integrity/back-tests'],
    failure: t('The back-test was not started'),
  })
  const found = versions.data ?? []
  const chosen = versionId === '' ? String(found.find(({ isLive }) => isLive)?.id ?? '') : versionId
  const isWhole = /^\d+$/.test(days) && Number(days) >= 1 && Number(days) <= backTestDaysMax
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (isWhole && chosen !== '') mutate({ body: { versionId: chosen, days } })
      }}
    >
      <SelectField
        label={t('Version')}
        value={chosen}
        options={found.map(({ id, note, isLive }) => ({
          value: String(id),
          label: isLive ? t('{id} (live): {note}', { id, note }) : t('{id}: {note}', { id, note }),
        }))}
        onChange={(event) => setVersionId(event.target.value)}
      />
      <NumberField
        label={t('Days, at most {count}', { count: backTestDaysMax })}
        min="1"
        max={String(backTestDaysMax)}
        value={days}
        onChange={(event) => setDays(event.target.value)}
      />
      <Button
        type="submit"
        tone="primary"
        isDisabled={!isWhole || chosen === ''}
        isBusy={isPending}
        busyLabel={t('Saving...')}
      >
        {t('Start back-test')}
      </Button>
    </form>
  )
}

function Result({ test }: { test: BackTest }) {
  return (
    <Card title={nameOf(test)}>
      {test.isDone ? (
        <div className="space-y-4">
          <p>
            {t('It would have held {amount} of {earned}: {share} %, {count} messages.', {
              amount: formatUsdt(test.held.amountUsd),
              earned: formatUsdt(test.earnedUsd),
              share: shareOf(test.held.amountUsd, test.earnedUsd),
              count: formatCount(test.held.messageCount),
            })}
          </p>
          <p className="text-ink-3">
            {t('Of it people have refused {refused} and released {released} since.', {
              refused: formatUsdt(test.held.refusedUsd),
              released: formatUsdt(test.held.releasedUsd),
            })}
          </p>
          <ul aria-label={t('By rule')} className="divide-y divide-line">
            {test.rules.map((rule) => (
              <li key={rule.rule} className="flex flex-wrap justify-between gap-x-4 py-1.5">
                <span>{ruleName(rule.rule)}</span>
                <span>
                  {t('{count} messages, {amount}', {
                    count: formatCount(rule.messageCount),
                    amount: formatUsdt(rule.amountUsd),
                  })}
                </span>
                <span className="w-full text-xs text-ink-3">
                  {t('Clients: {count}. Refused since {refused}, released {released}', {
                    count: formatCount(rule.clientCount),
                    refused: formatUsdt(rule.refusedUsd),
                    released: formatUsdt(rule.releasedUsd),
                  })}
                </span>
              </li>
            ))}
          </ul>
          <Clients id={test.id} />
        </div>
      ) : (
        <p>
          {t('Judging: {judged} of {count} days of clients...', {
            judged: formatCount(test.judgedCount),
            count: formatCount(test.dayCount),
          })}
        </p>
      )}
    </Card>
  )
}

function Clients({ id }: { id: string }) {
  const clients = useApiQuery(backTestRoutes.listBackTestClients, { params: { id } })
  const found = clients.data ?? []
  const users = [...new Set(found.map(({ userId }) => userId))]
  return (
    <section aria-label={t('By client')} className="space-y-2">
      <h3 className="text-md">{t('By client')}</h3>
      {clients.error && <FetchFailure title={t('Failed to fetch the clients')} of={clients} />}
      {clients.data !== undefined && found.length === 0 && (
        <p className="text-ink-3">{t('It would have held nothing.')}</p>
      )}
      <ul className="divide-y divide-line">
        {users.map((userId) => (
          <Client key={userId} sums={found.filter((each) => each.userId === userId)} />
        ))}
      </ul>
    </section>
  )
}

function Client({ sums }: { sums: readonly BackTestSum[] }) {
  const all = sums.find(({ rule }) => rule === '')
  if (all === undefined) return null
  return (
    <li className="flex flex-wrap justify-between gap-x-4 py-1.5">
      <span>{all.userName}</span>
      <span>
        {t('{amount}, {share} % of this client', {
          amount: formatUsdt(all.amountUsd),
          share: shareOf(all.amountUsd, all.earnedUsd),
        })}
      </span>
      <span className="w-full text-xs text-ink-3">
        {sums
          .filter(({ rule }) => rule !== '')
          .map(({ rule, amountUsd }) => `${ruleName(rule)} ${formatUsdt(amountUsd)}`)
          .join(' · ')}
      </span>
    </li>
  )
}
