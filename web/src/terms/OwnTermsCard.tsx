import { termsRoutes } from '@tollgate/contract/terms/terms.ts'
import { Unfetched } from '../api/FetchFailure.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { Card, Pairs } from '../ui/Card.tsx'
import { t } from '../language/t.ts'
import { termPairs } from './term-pairs.ts'

/** A client's own terms. */
export function OwnTermsCard() {
  const terms = useApiQuery(termsRoutes.getOwnTerms)
  return (
    <Card title={t('Your terms')}>
      {terms.data ? (
        <div className="space-y-3">
          <Pairs items={termPairs(terms.data, terms.data.used)} />
          <p className="text-xs text-ink-3">
            {terms.data.isNewcomer && !terms.data.isOwn
              ? t('These are the terms of new clients. They change after your third bill.')
              : t(
                  'No message above a limit is refused; the bill then waits until somebody has looked at it.',
                )}
          </p>
        </div>
      ) : (
        <Unfetched of={terms} title={t('Failed to fetch the terms')} className="h-32" />
      )}
    </Card>
  )
}
