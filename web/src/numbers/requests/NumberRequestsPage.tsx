import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
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
  const waiting = useWaitingRequests()
  const [isRequesting, setRequesting] = useState(false)
  const own = <OwnRequests onRequest={() => setRequesting(true)} />
  return (
    <>
      <PageHeader
        title={t('Number Requests')}
        // Staff answer requests; they rarely make one.
        actions={
          (!isStaff || url.state.tab === 'own') && (
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
        <Tabs
          label={t('Requests')}
          value={url.state.tab}
          onChange={(tab) => url.set({ tab }, true)}
          tabs={[
            {
              value: 'queue',
              label: t('Queue'),
              content: <RequestQueue />,
              countTone: 'warn',
              ...(waiting && { count: waiting.value }),
            },
            { value: 'own', label: t('Your requests'), content: own },
          ]}
        />
      ) : (
        own
      )}
      {isRequesting && <RequestNumberDialog onClose={() => setRequesting(false)} />}
    </>
  )
}
