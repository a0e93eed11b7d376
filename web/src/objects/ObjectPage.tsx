// The frame of every page about one thing: who it is, the facts, what may be done, and the tabs with all that belongs
// to it.
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { RefreshNote, staleWords, type Refreshed } from '../api/RefreshNote.tsx'
import { classNames } from '../ui/class-names.ts'
import { Card, type Pair } from '../ui/Card.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState, Skeleton } from '../ui/States.tsx'
import { Tabs, type Tab } from '../ui/Tabs.tsx'
import { useTitle } from '../ui/use-title.ts'
import { useUrlState, type UrlState } from '../url-state.ts'
import { objectSearch } from './search.ts'
import { t } from '../language/t.ts'

export type ObjectUrl = UrlState<ReturnType<typeof objectSearch.parse>>

/** The id in the address. */
export function useObjectId(): string {
  const { id }: { id?: string } = useParams({ strict: false })
  return id ?? ''
}

export const useObjectUrl = (): ObjectUrl => useUrlState(objectSearch)

/** The list that an object is in. */
export interface Home {
  readonly label: string
  readonly path: string
}

interface ObjectPageProps {
  /** Its name: the only h1. */
  readonly name: string
  /** What it is, in one line. */
  readonly what: string
  readonly home: Home
  readonly badge?: ReactNode
  /** What badge and facts are read from, where it is read again and again. */
  readonly readFrom?: readonly Refreshed[]
  readonly actions?: ReactNode
  readonly facts: readonly Pair[]
  /** Between the facts and the tabs. */
  readonly children?: ReactNode
  readonly tabs: readonly (Tab<string> | false)[]
}

export function ObjectPage(props: ObjectPageProps) {
  const { name, what, home, badge, readFrom = [], actions, facts, children } = props
  const url = useObjectUrl()
  useTitle(name)
  const tabs = props.tabs.filter((tab) => tab !== false)
  const chosen = tabs.find(({ value }) => value === url.state.tab) ?? tabs[0]
  return (
    <>
      <PageHeader title={name} actions={actions}>
        <Link
          to={home.path}
          className="text-accent-ink underline decoration-line-strong underline-offset-2 hover:decoration-current"
        >
          {home.label}
        </Link>{' '}
        · {what}
      </PageHeader>
      <div data-stale={staleWords(readFrom) !== undefined || undefined}>
        <Card>
          <dl
            className={classNames(
              'grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3',
              // Five would leave the last one alone in its line.
              facts.length === 4 && badge !== undefined ? 'lg:grid-cols-5' : 'lg:grid-cols-4',
            )}
          >
            {badge !== undefined && <Fact label={t('Status')} value={badge} />}
            {facts.map((fact) => (
              <Fact key={fact.label} {...fact} />
            ))}
          </dl>
        </Card>
        <RefreshNote of={readFrom} />
      </div>
      {children}
      {tabs.length === 1 ? (
        chosen?.content
      ) : (
        <Tabs
          label={name}
          value={chosen?.value ?? ''}
          onChange={(tab) => url.set({ tab: tab === tabs[0]?.value ? '' : tab, entry: '' }, true)}
          tabs={tabs}
        />
      )}
    </>
  )
}

function Fact({ label, value }: Pair) {
  return (
    <div className="min-w-0 space-y-0.5">
      <dt className="text-xs text-ink-3">{label}</dt>
      <dd className="break-words">{value}</dd>
    </div>
  )
}

/** Whether an object does not exist (any more), or not for this viewer. */
export function isGone({ error }: { readonly error: Error | null }): boolean {
  return error instanceof ApiError && error.status === 404
}

// Whole sentences, because other languages have a gender for each noun.
const objectTexts = {
  bill: { failure: t('Failed to fetch the bill'), missing: t('There is no such bill') },
  endpoint: { failure: t('Failed to fetch the endpoint'), missing: t('There is no such endpoint') },
  connection: { failure: t('Failed to fetch the connection'), missing: t('There is no such connection') },
  number: { failure: t('Failed to fetch the number'), missing: t('There is no such number') },
  person: { failure: t('Failed to fetch the user'), missing: t('There is no such user') },
  provider: { failure: t('Failed to fetch the provider'), missing: t('There is no such provider') },
  range: { failure: t('Failed to fetch the range'), missing: t('There is no such range') },
}
type ShownKind = keyof typeof objectTexts

interface ObjectStateProps {
  readonly of: { readonly error: Error | null; readonly refetch: () => unknown }
  readonly kind: ShownKind
  readonly home: Home
  /** It was looked for in a list that does not have it. */
  readonly isUnknown?: boolean
}

/** While an object is read, when it cannot be read, and when there is none that this viewer may see. */
export function ObjectState({ of, kind, home, isUnknown = false }: ObjectStateProps) {
  if (isUnknown || isGone(of)) return <NoObject kind={kind} home={home} />
  if (of.error)
    return (
      <>
        <PageHeader title={home.label} />
        <FetchFailure of={of} title={objectTexts[kind].failure} />
      </>
    )
  return (
    <div aria-busy="true" className="space-y-4 max-sm:pt-16">
      <Skeleton className="h-6 w-48" />
      <Skeleton className="h-24 w-full rounded-lg" />
      <Skeleton className="h-64 w-full rounded-lg" />
    </div>
  )
}

function NoObject({ kind, home }: Pick<ObjectStateProps, 'kind' | 'home'>) {
  return (
    <>
      <PageHeader title={home.label} />
      <Card>
        <EmptyState
          title={objectTexts[kind].missing}
          action={
            <Link to={home.path} className="text-accent-ink underline underline-offset-2">
              {home.label}
            </Link>
          }
        >
          {t('It may have been deleted, or it is not yours.')}
        </EmptyState>
      </Card>
    </>
  )
}
