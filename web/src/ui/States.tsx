// Shown instead of content: empty, failed, loading. Visual language §10.
import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { classNames } from './class-names.ts'
import { t } from '../language/t.ts'

/** Decoration: scattered dots, a line, ordered dashes. */
function EmptyPicture() {
  return (
    <svg viewBox="0 0 116 48" width="116" height="48" aria-hidden="true" className="text-line-strong">
      <g fill="currentColor">
        <circle cx="8" cy="22" r="1.4" opacity=".6" />
        <circle cx="22" cy="32" r="1.6" />
        <circle cx="30" cy="16" r="2" />
        <circle cx="46" cy="24" r="2.4" fill="var(--ink-mute)" />
      </g>
      <rect x="62" y="1" width="3.4" height="46" rx="1.7" fill="var(--accent)" />
      <g fill="none" stroke="currentColor" strokeWidth="1.6">
        <rect x="76" y="8" width="26" height="6" rx="3" />
        <rect x="76" y="21" width="15" height="6" rx="3" />
        <rect x="96" y="21" width="19" height="6" rx="3" />
        <rect x="76" y="34" width="34" height="6" rx="3" />
      </g>
    </svg>
  )
}

interface EmptyStateProps {
  readonly title: string
  readonly children?: ReactNode
  /** One next step. */
  readonly action?: ReactNode
}

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-4 px-6 py-8 text-center">
      <EmptyPicture />
      <div className="max-w-72 space-y-1">
        <p className="text-balance text-md font-semibold">{title}</p>
        {children !== undefined && <p className="text-balance text-ink-3">{children}</p>}
      </div>
      {action}
    </div>
  )
}

interface ErrorStateProps {
  /** What failed, in the specification's text: 'Failed to fetch records'. */
  readonly title: string
  /** Why, and whether anything was lost. */
  readonly reason: string
  readonly requestId?: string | undefined
  readonly onRetry: () => void
}

export function ErrorState({ title, reason, requestId, onRetry }: ErrorStateProps) {
  return (
    <div role="alert" className="flex flex-col items-center gap-3 px-6 py-7 text-center">
      <div className="max-w-96 space-y-1">
        <p className="text-balance text-md font-semibold">{title}</p>
        <p className="text-balance text-ink-3">{reason}</p>
      </div>
      <div className="flex flex-wrap items-center justify-center gap-3">
        <Button size="sm" icon={RotateCw} onClick={onRetry}>
          {t('Try again')}
        </Button>
        {requestId !== undefined && (
          <span className="font-mono text-xs text-ink-3">{t('req {requestId}', { requestId })}</span>
        )}
      </div>
    </div>
  )
}

/** A grey bar instead of a value that is loading. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      data-skeleton=""
      className={classNames('late block h-3 rounded-xs bg-surface-3', className)}
    />
  )
}

/** Shown while the content of a tab is loading. */
export function TabSkeleton() {
  return (
    <div aria-busy="true">
      <Skeleton className="h-72 w-full rounded-lg" />
    </div>
  )
}

/** The spinner, used only while the session loads. */
export function Spinner({ label }: { label: string }) {
  return (
    <span role="status" className="inline-grid place-items-center">
      <span className="size-6 animate-spin rounded-full border-2 border-line-strong border-t-accent" />
      <span className="sr-only">{label}</span>
    </span>
  )
}
