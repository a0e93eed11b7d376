import { UnownedTab } from '../billing/UnownedTab.tsx'
import type { PaymentManagementSearch } from '../billing/search.ts'
import { HoldsTab } from '../integrity/HoldsTab.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { Segmented } from '../ui/Segmented.tsx'
import type { UrlState } from '../url-state.ts'
import { t } from '../language/t.ts'

const HotList = lazyComponent(() => import('../integrity/HotList.tsx'), 'HotList')
const DisputesView = lazyComponent(() => import('../integrity/DisputesView.tsx'), 'DisputesView')

interface ReviewTabProps {
  readonly url: UrlState<PaymentManagementSearch>
  /** Holds that wait for a decision. */
  readonly holdCount: number
}

/** Money that is nobody's yet: what is held until somebody decides, and what came to numbers that nobody held. */
export function ReviewTab({ url, holdCount }: ReviewTabProps) {
  const { review } = url.state
  return (
    <div className="space-y-4">
      <Segmented
        label={t('What is shown')}
        value={review}
        onChange={(next) => url.set({ review: next }, true)}
        options={[
          { value: 'holds', label: t('Held for review'), count: holdCount },
          { value: 'lists', label: t('Hot list') },
          { value: 'disputes', label: t('Disputes') },
          { value: 'unowned', label: t('Unowned SMS') },
        ]}
      />
      {review === 'holds' && <HoldsTab url={url} />}
      {review === 'lists' && <HotList url={url} />}
      {review === 'disputes' && <DisputesView />}
      {review === 'unowned' && <UnownedTab url={url} />}
    </div>
  )
}
