import { formatRate, formatShekels, formatUsdt } from '../format/money.ts'
import { groupByFour, shortenForStaff } from '../format/shorten.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Pairs } from '../ui/Card.tsx'
import { LongValue } from '../ui/LongValue.tsx'
import { Notice } from '../ui/Notice.tsx'
import { knownStatuses, statusKinds } from '../ui/status.ts'
import { GallerySection } from './GallerySection.tsx'

const address = 'TMPyVucb61WVKFtJD81p4QNZEdE3QioTfA'

export function BadgeSamples() {
  return (
    <div className="space-y-8">
      <GallerySection title="Badges">
        <dl className="grid grid-cols-[8rem_1fr] gap-x-2 gap-y-2">
          {statusKinds.map((kind) => (
            <div key={kind} className="contents">
              <dt className="text-ink-3">{kind}</dt>
              <dd className="flex flex-wrap gap-1.5">
                {[...knownStatuses(kind), 'expired'].map((status) => (
                  <StatusBadge key={status} kind={kind} status={status} />
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </GallerySection>
      <GallerySection title="Notices">
        <Notice title="Share credentials securely">With authorized providers only.</Notice>
        <Notice tone="warn" title="Not verified on chain">
          No TRON node is set. Check the transfer yourself.
        </Notice>
        <Notice tone="bad" title="Authentication Failed">
          Error Code 14: Invalid Password
        </Notice>
      </GallerySection>
      <GallerySection title="Money and long values">
        <Pairs
          items={[
            { label: 'Tariff, bill', value: formatShekels('1.5') },
            { label: 'Rate', value: formatRate('0.05') },
            { label: 'Settlement', value: <strong>{formatUsdt('1945.7')}</strong> },
            {
              label: 'In a list',
              value: <LongValue value={address} short={shortenForStaff(address)} what="address" />,
            },
          ]}
        />
        <p className="rounded-lg border border-line bg-surface px-3 py-2.5 font-mono text-[1.0625rem]">
          {groupByFour(address)}
        </p>
      </GallerySection>
    </div>
  )
}
