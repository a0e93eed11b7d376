import type { OwnBinds, OwnTraffic } from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import { formatCount, formatDecimal, unknownFigure } from '../format/money.ts'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { TabSkeleton } from '../ui/States.tsx'
import { StatStrip } from '../ui/StatStrip.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import type { SmppTrafficProps } from './HoursField.tsx'
import { useOwnBinds, useOwnTraffic, type OfSupplier } from './queries.ts'
import { t } from '../language/t.ts'

const OwnTrafficTab = lazyComponent(() => import('./OwnTrafficTab.tsx'), 'OwnTrafficTab')
const OwnBindsTab = lazyComponent(() => import('./OwnBindsTab.tsx'), 'OwnBindsTab')
const HowToBind = lazyComponent(() => import('./HowToBind.tsx'), 'HowToBind')
const OwnMessagesTab = lazyComponent(() => import('./OwnMessagesTab.tsx'), 'OwnMessagesTab')

/** The traffic and binds of a supplier, and one message by its id: for itself, and for staff who help it. */
export function SmppTraffic({ state, onChange, userId }: SmppTrafficProps & OfSupplier) {
  const { hours, tab, id } = state
  const traffic = useOwnTraffic(hours, { userId })
  const binds = useOwnBinds({ userId })
  return (
    <>
      <StatStrip
        label={t('SMPP Traffic')}
        under={<RefreshNote of={[traffic, binds]} />}
        stats={[
          ...trafficStats(traffic.data, traffic.error !== null),
          ...bindStats(binds.data, binds.error !== null),
        ]}
      />
      <Tabs
        label={t('SMPP Traffic')}
        value={tab}
        onChange={(value) => onChange({ tab: value }, true)}
        tabs={[
          {
            value: 'traffic',
            label: t('Traffic'),
            content: <OwnTrafficTab hours={hours} userId={userId} waiting={<TabSkeleton />} />,
          },
          {
            value: 'binds',
            label: t('Binds'),
            content: <OwnBindsTab userId={userId} waiting={<TabSkeleton />} />,
          },
          {
            value: 'messages',
            label: t('Find a message'),
            content: (
              <OwnMessagesTab
                id={id}
                userId={userId}
                onSearch={(searched) => onChange({ id: searched }, true)}
                waiting={<TabSkeleton />}
              />
            ),
          },
          // Whose own page it is.
          ...(userId === undefined
            ? [
                {
                  value: 'bind' as const,
                  label: t('How to bind'),
                  content: <HowToBind waiting={<TabSkeleton />} />,
                },
              ]
            : []),
        ]}
      />
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
      label: t('Throughput'),
      figure: data ? formatDecimal(data.messagesPerSecond, 1) : unknown,
      unit: t('msg/s'),
      note:
        data === undefined
          ? t('in the last minute')
          : data.throughput === 0
            ? t('in the last minute; no limit')
            : t('in the last minute; {throughput} allowed', { throughput: formatCount(data.throughput) }),
    },
    {
      label: t('Binds'),
      figure: data ? formatCount(data.binds.length) : unknown,
      note: data
        ? t('of {maxConnections} allowed, window {window}', {
            maxConnections: data.maxConnections,
            window: data.window,
          })
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
