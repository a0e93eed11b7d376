// The measured throughput of all nodes in the last 15 minutes.
import type { Throughput } from '@tollgate/contract/gateway/gateway.ts'
import { useState } from 'react'
import { messageOf, requestIdOf } from '../api/api-error.ts'
import { staleWords } from '../api/RefreshNote.tsx'
import { formatSecond } from '../format/dates.ts'
import { formatCount, formatDecimal } from '../format/money.ts'
import { AreaChart } from '../ui/charts/AreaChart.tsx'
import { FigureTable, TableToggle } from '../ui/charts/FigureTable.tsx'
import { ErrorState, Skeleton } from '../ui/States.tsx'
import { useThroughput } from './queries.ts'
import { t, joined } from '../language/t.ts'
import { counted } from '../format/counted.ts'

const title = t('Throughput, last 15 min')

export function ThroughputChart() {
  const throughput = useThroughput()
  const { data, error, refetch } = throughput
  const stale = staleWords([throughput])
  const [isTable, setTable] = useState(false)
  if (data === undefined)
    return error ? (
      <ErrorState
        title={t('Failed to fetch the throughput')}
        reason={messageOf(error)}
        requestId={requestIdOf(error)}
        onRetry={() => void refetch()}
      />
    ) : (
      <Skeleton className="h-28 w-full rounded-lg" />
    )
  const points = pointsOf(data)
  const most = points.reduce((max, { value }) => Math.max(max, value), 0)
  const cutAt = cutOf(points.map(({ value }) => value))
  return (
    <section aria-label={title} className="space-y-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-3">
        <h3 className="font-normal">{title}</h3>
        <span>
          {most === 0
            ? t('Nothing was accepted')
            : t('now {rate}, at most {most}', {
                rate: write(points.at(-1)?.value ?? 0),
                most: write(most),
              })}
        </span>
        <span className="ms-auto">
          <TableToggle isTable={isTable} onToggle={() => setTable(!isTable)} />
        </span>
      </div>
      {isTable ? (
        <FigureTable
          label={title}
          heads={[t('Messages'), t('msg/s')]}
          rows={points.toReversed().map(({ time, count, value }) => ({
            label: time,
            figures: [formatCount(count), formatDecimal(value, 2)],
          }))}
        />
      ) : (
        <AreaChart label={title} points={points} cutAt={cutAt} />
      )}
      <p className={stale === undefined ? 'text-xs text-ink-3' : 'text-warn-ink'}>
        {stale ??
          joined(
            t('Accepted messages of all sources, on all nodes.'),
            cutAt !== undefined && t('Drawn up to {rate}; marked peaks are higher.', { rate: write(cutAt) }),
          )}
      </p>
    </section>
  )
}

const peaksMax = 9
const peakFactor = 5

/**
 * Where the chart is cut, so that a short burst (a provider's backlog, an import) does not flatten the rest. undefined
 * without such a burst.
 */
function cutOf(values: readonly number[]): number | undefined {
  const [most = 0, ...rest] = values.toSorted((a, b) => b - a)
  const usual = rest[peaksMax - 1] ?? 0
  return usual > 0 && most > usual * peakFactor ? usual * 1.5 : undefined
}

function write(value: number): string {
  return t('{rate} msg/s', { rate: formatDecimal(value, 2) })
}

function pointsOf({ from, stepSeconds, counts }: Throughput) {
  const fromMs = Date.parse(from)
  return counts.map((count, place) => {
    const value = count / stepSeconds
    return {
      count,
      value,
      time: formatSecond(fromMs + place * stepSeconds * 1_000),
      words: counted(count, '{rate}, 1 message', '{rate}, {count} messages', { rate: write(value) }),
    }
  })
}
