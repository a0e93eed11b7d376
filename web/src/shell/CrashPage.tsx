import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { messageOf, requestIdOf } from '../api/api-error.ts'
import { ErrorState } from '../ui/States.tsx'
import { useTitle } from '../ui/use-title.ts'
import { t } from '../language/t.ts'

/** Shown instead of a page that has crashed. The rest of the console stays usable. */
export function CrashPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  useTitle(t('Something broke'))
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <div className="py-16">
      <h1 className="sr-only">{t('This page could not be shown')}</h1>
      <ErrorState
        title={t('This page could not be shown')}
        reason={t('{error} Nothing you saved is lost.', { error: messageOf(error) })}
        requestId={requestIdOf(error)}
        onRetry={retry}
      />
    </div>
  )
}
