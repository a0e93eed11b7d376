import { UnownedTab } from '../billing/UnownedTab.tsx'
import type { PaymentManagementSearch } from '../billing/search.ts'
import { HoldsTab } from '../integrity/HoldsTab.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { ListChoice } from '../ui/ListChoice.tsx'
import type { UrlState } from '../url-state.ts'
import { t } from '../language/t.ts'

const RulesView = lazyComponent(() => import('../integrity/RulesView.tsx'), 'RulesView')
const HotList = lazyComponent(() => import('../integrity/HotList.tsx'), 'HotList')
const DisputesView = lazyComponent(() => import('../integrity/DisputesView.tsx'), 'DisputesView')

interface ReviewTabProps {
  readonly url: UrlState<PaymentManagementSearch>
  /** Holds that wait for a decision. */
  readonly holdCount: number
}

/** Money that is nobody's yet: what is held until somebody decides, and what came to numbers that nobody held. */
export function ReviewTab({ url, holdCount }: ReviewTabProps) {
  return (
    <ListChoice
      value={url.state.review}
      onChange={(review) => url.set({ review }, true)}
      lists={[
        { value: 'holds', label: t('Held for review'), count: holdCount, content: <HoldsTab url={url} /> },
        { value: 'rules', label: t('Rules'), content: <RulesView /> },
        { value: 'lists', label: t('Hot list'), content: <HotList url={url} /> },
        { value: 'disputes', label: t('Disputes'), content: <DisputesView /> },
        { value: 'unowned', label: t('Unowned SMS'), content: <UnownedTab url={url} /> },
      ]}
    />
  )
}
