import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Fold } from '../../ui/Fold.tsx'
import { useUrlState } from '../../url-state.ts'
import { useWaitingRequests } from '../waiting-requests.ts'
import { OwnRequests } from './OwnRequests.tsx'
import { RequestNumberDialog } from './RequestNumberDialog.tsx'
import { RequestQueue } from './RequestQueue.tsx'
import { requestsSearch } from './search.ts'
import { t } from '../../language/t.ts'

export function NumberRequestsPage() {
  const { may } = useSession()
  const isStaff = may('numbersManagement')
  const url = useUrlState(requestsSearch)
  // Follows the feed for all roles, but counts only for staff.
  useWaitingRequests()
  const [isRequesting, setRequesting] = useState(false)
  const own = <OwnRequests isStaff={isStaff} onRequest={() => setRequesting(true)} />
  return (
    <>
      <PageHeader
        title={t('Number Requests')}
        // Staff answer requests; they rarely make one.
        actions={
          !isStaff && (
            <Button tone="primary" icon={Plus} onClick={() => setRequesting(true)}>
              {t('Request Number')}
            </Button>
          )
        }
      >
        {isStaff
          ? t('Who asks for a number, and what was answered')
          : t('Ask for a number and see what was answered')}
      </PageHeader>
      {isStaff ? (
        <>
          <RequestQueue />
          <Fold
            isLazy
            label={<h2 className="text-md font-semibold">{t('Your requests')}</h2>}
            startsOpen={url.state.tab === 'own'}
          >
            {own}
          </Fold>
        </>
      ) : (
        own
      )}
      {isRequesting && <RequestNumberDialog onClose={() => setRequesting(false)} />}
    </>
  )
}
