import { PageHeader } from '../ui/PageHeader.tsx'
import { useUrlState } from '../url-state.ts'
import { HoursField } from './HoursField.tsx'
import { smppTrafficSearch } from './search.ts'
import { SmppTraffic } from './SmppTraffic.tsx'
import { t } from '../language/t.ts'

/** What a supplier sees of its own: its traffic, its binds, and a message by the id that it got. */
export function SmppTrafficPage() {
  const url = useUrlState(smppTrafficSearch)
  return (
    <>
      <PageHeader title={t('SMPP Traffic')} actions={<HoursField state={url.state} onChange={url.set} />}>
        {t('What you sent, what was refused and why, and your binds')}
      </PageHeader>
      <SmppTraffic state={url.state} onChange={url.set} />
    </>
  )
}
