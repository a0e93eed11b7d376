// The tabs that the pages of several kinds have.
import type { NotedType } from '@tollgate/contract/objects/objects.ts'
import { useSession } from '../api/session.tsx'
import { HoldsTab } from '../integrity/HoldsTab.tsx'
import type { Tab } from '../ui/Tabs.tsx'
import { HistoryTab } from './HistoryTab.tsx'
import { NotesTab } from './NotesTab.tsx'
import { useObjectUrl } from './ObjectPage.tsx'
import { TrafficTab, type TrafficFilters } from './TrafficTab.tsx'
import { t } from '../language/t.ts'

export type ObjectTab = Tab<string> | false

export const trafficTab = (filters: TrafficFilters, without?: string): ObjectTab => ({
  value: 'traffic',
  label: t('Traffic'),
  content: <TrafficTab filters={filters} {...(without !== undefined && { without })} />,
})

/** Notes for staff, history for who may read the audit log. */
export function useStaffTabs(objectType: NotedType, objectId: string): readonly ObjectTab[] {
  const { may } = useSession()
  return [
    may('notes') && {
      value: 'notes',
      label: t('Notes'),
      content: <NotesTab objectType={objectType} objectId={objectId} />,
    },
    may('auditRead') && {
      value: 'history',
      label: t('History'),
      content: <HistoryTab objectType={objectType} objectId={objectId} />,
    },
  ]
}

/** What is held of one client, or on one number. */
export function HoldsOf(of: { readonly userId?: number; readonly numberId?: string }) {
  const url = useObjectUrl()
  return <HoldsTab url={url} of={of} />
}
