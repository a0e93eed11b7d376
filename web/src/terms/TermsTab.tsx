import { termsRoutes, type ClientTerms } from '@tollgate/contract/terms/terms.ts'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { useSession, useUser } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { PendingChange } from '../api/PendingChange.tsx'
import { Button } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { TabSkeleton } from '../ui/States.tsx'
import { t } from '../language/t.ts'
import { EditTermsDialog } from './EditTermsDialog.tsx'
import { termPairs, termsLine } from './term-pairs.ts'

/** The terms of one client, for staff: what is in force, what waits, and what was before. */
export function TermsTab({ userId }: { readonly userId: number }) {
  const { may } = useSession()
  const viewer = useUser()
  const [isEditing, setEditing] = useState(false)
  const query = useApiQuery(termsRoutes.getTerms, { params: { id: userId } })
  const { data } = query
  if (!data)
    return query.error ? <FetchFailure of={query} title={t('Failed to fetch the terms')} /> : <TabSkeleton />
  return (
    <div className="max-w-160 space-y-4">
      {data.pending && (
        <PendingChange
          label={t('the terms')}
          value={termsLine(data.pending.terms)}
          change={data.pending}
          route={termsRoutes.decideTermsChange}
          callOf={(action) => ({ params: { id: userId }, body: { action } })}
          refetch={['/api/users']}
        />
      )}
      <Card
        title={t('Terms')}
        aside={
          may('adminSettings') && viewer.id !== userId ? (
            <Button size="sm" icon={Pencil} onClick={() => setEditing(true)}>
              {t('Change terms')}
            </Button>
          ) : undefined
        }
      >
        <div className="space-y-3">
          <Pairs items={termPairs(data, data.used)} />
          <p className="text-xs text-ink-3">{originOf(data)}</p>
        </div>
      </Card>
      {data.history.length > 0 && <TermsHistory history={data.history} />}
      {isEditing && <EditTermsDialog userId={userId} terms={data} onClose={() => setEditing(false)} />}
    </div>
  )
}

function originOf({ isOwn, isNewcomer }: ClientTerms): string {
  if (isOwn) return t('Set for this client.')
  return isNewcomer
    ? t('The terms of newcomers, by Admin Settings, until its third bill.')
    : t('The terms of all clients, by Admin Settings.')
}

function TermsHistory({ history }: Pick<ClientTerms, 'history'>) {
  return (
    <Card title={t('History')} isFlush>
      <ul className="divide-y divide-line">
        {history.map(({ id, terms, setBy, approvedBy, beginsAt }) => (
          <li key={id} className="space-y-1 px-4 py-3">
            <p className="text-ink-2">
              {approvedBy === ''
                ? t('{time}, by {name}', { time: formatDateTime(beginsAt), name: setBy })
                : t('{time}, by {name}, approved by {approver}', {
                    time: formatDateTime(beginsAt),
                    name: setBy,
                    approver: approvedBy,
                  })}
            </p>
            <p className="text-ink-3">{termsLine(terms)}</p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
