import {
  ownTrafficRoutes,
  supplierTrafficRoutes,
  type OwnBinds,
  type OwnTraffic,
} from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import { formatCount, formatDecimal, unknownFigure } from '../format/money.ts'
import { ReadAgeNote } from '../api/ReadAgeNote.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { Fold } from '../ui/Fold.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { TabSkeleton } from '../ui/States.tsx'
import { StatStrip } from '../ui/StatStrip.tsx'
import type { SmppTrafficProps } from './HoursField.tsx'
import { OwnMessages } from './OwnMessages.tsx'
import { useOwnBinds, useOwnTraffic, type OfSupplier } from './queries.ts'
import { t } from '../language/t.ts'

const OwnTrafficTab = lazyComponent(() => import('./OwnTrafficTab.tsx'), 'OwnTrafficTab')
const OwnBindsTab = lazyComponent(() => import('./OwnBindsTab.tsx'), 'OwnBindsTab')
const HowToBind = lazyComponent(() => import('./HowToBind.tsx'), 'HowToBind')

/** The traffic and binds of a supplier, and one message by its id: for itself, and for staff who help it. */
export function SmppTraffic({ state, onChange, userId }: SmppTrafficProps & OfSupplier) {
  const { hours, id } = state
  const traffic = useOwnTraffic(hours, { userId })
  const binds = useOwnBinds({ userId })
  return (
    <>
      <StatStrip
        label={t('SMPP Traffic')}
        under={
          <>
            <RefreshNote of={[traffic, binds]} />
            <ReadAgeNote
              of={
                userId === undefined
                  ? ownTrafficRoutes.getOwnTraffic
                  : supplierTrafficRoutes.getSupplierTraffic
              }
            />
          </>
        }
        stats={[
          ...trafficStats(traffic.data, traffic.error !== null),
          ...bindStats(binds.data, binds.error !== null),
        ]}
      />
      <OwnMessages id={id} userId={userId} onSearch={(searched) => onChange({ id: searched }, true)} />
      <OwnTrafficTab hours={hours} userId={userId} waiting={<TabSkeleton />} />
      <OwnBindsTab userId={userId} waiting={<TabSkeleton />} />
      {/* Whose own page it is. Open for whoever has not bound yet, once that is known. */}
      {userId === undefined && (binds.data ?? binds.error) && (
        <Fold
          isLazy
          label={<h2 className="text-md font-semibold">{t('How to bind')}</h2>}
          startsOpen={binds.data?.binds.length === 0}
        >
          <HowToBind waiting={<TabSkeleton />} />
        </Fold>
      )}
    </>
  )
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

function trafficStats(data: OwnTraffic | undefined, hasFailed: boolean) {
  const unknown = hasFailed && data === undefined ? unknownFigure : undefined
  const accepted = data && sum(data.accepted)
  const refused = data && sum(data.refused.map(({ count }) => count))
  const all = (accepted ?? 0) + (refused ?? 0)
  return [
    {
      label: t('Accepted'),
      figure: accepted === undefined ? unknown : formatCount(accepted),
      note: t('stored and acknowledged'),
    },
    {
      label: t('Refused'),
      figure: refused === undefined ? unknown : formatCount(refused),
      note:
        refused === undefined || all === 0
          ? t('answered with an error')
          : t('{share} % of what was sent', {
              share: formatDecimal(Math.floor((refused / all) * 10_000) / 100, 2),
            }),
    },
  ]
}

function bindStats(data: OwnBinds | undefined, hasFailed: boolean) {
  const unknown = hasFailed && data === undefined ? unknownFigure : undefined
  return [
    {
      label: t('Binds'),
      figure: data ? formatCount(data.binds.length) : unknown,
      note: data
        ? [
            t('of {maxConnections} allowed, window {window}', {
              maxConnections: data.maxConnections,
              window: data.window,
            }),
            data.throughput === 0
              ? t('{rate} msg/s', { rate: formatDecimal(data.messagesPerSecond, 1) })
              : t('{rate} of {throughput} msg/s', {
                  rate: formatDecimal(data.messagesPerSecond, 1),
                  throughput: formatCount(data.throughput),
                }),
          ].join('; ')
        : t('on all nodes'),
    },
    {
      label: t('Receipts taken'),
      figure: data ? formatCount(data.receipts.taken) : unknown,
      note: data
        ? t('in 24 h; {notTaken} not taken, {waiting} wait', {
            notTaken: formatCount(data.receipts.notTaken),
            waiting:
              data.receipts.waiting >= waitingMax
                ? `${formatCount(waitingMax)}+`
                : formatCount(data.receipts.waiting),
          })
        : t('in 24 h'),
    },
  ]
}

// The server counts no further.
const waitingMax = 5_000
