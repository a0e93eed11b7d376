import { ApiError, messageOf } from './api-error.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { t } from '../language/t.ts'

interface SaveFailureProps {
  readonly error: Error | null
  /** The specification's text for the failed call. */
  readonly title: string
  /** More of the specification's text, below the title. */
  readonly text?: string
  /** Whether the fields of the form say all of it already: then only the title stands here. */
  readonly isAtFields?: boolean
  /** Loads the values that somebody else has saved. Absent when the row is no longer in the list. */
  readonly onTakeSaved?: (() => void) | undefined
}

/** Says in a dialog why its call failed. As long as it does, no toast says it too. */
export function SaveFailure({ error, title, text, isAtFields = false, onTakeSaved }: SaveFailureProps) {
  if (!error) return null
  if (error instanceof ApiError && error.code === 'stale')
    return (
      <Notice tone="warn" title={t('Somebody else changed this meanwhile')} isAlert>
        <p>{t('Nothing was overwritten. What you typed is still here.')}</p>
        {onTakeSaved ? (
          <div className="pt-2">
            <Button size="sm" onClick={onTakeSaved}>
              {t('Load the saved values')}
            </Button>
          </div>
        ) : (
          <p>{t('It is no longer in this list. Close and look for it anew.')}</p>
        )}
      </Notice>
    )
  if (isAtFields && text === undefined) return <Notice tone="bad" title={title} isAlert />
  return (
    <Notice tone="bad" title={title} isAlert>
      {text !== undefined && <p>{text}</p>}
      {!isAtFields && <p>{messageOf(error)}</p>}
    </Notice>
  )
}
