import { RotateCw } from 'lucide-react'
import { t } from '../language/t.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { messageOf } from './api-error.ts'
import type { FailedFetch } from './FetchFailure.tsx'

interface QueueFailureProps {
  readonly of: FailedFetch
  /** 'Failed to fetch the accounts that wait for approval'. */
  readonly title: string
}

/** Says why a queue cannot be read. It shows only while something waits, so without this it would look empty. */
export function QueueFailure({ of, title }: QueueFailureProps) {
  return (
    <Notice tone="warn" title={title} isAlert>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p>{messageOf(of.error)}</p>
        <Button size="sm" icon={RotateCw} onClick={() => void of.refetch()}>
          {t('Try again')}
        </Button>
      </div>
    </Notice>
  )
}
