// The timeline of a record.
import type { RecordDetail } from '@tollgate/contract/records/records.ts'
import { formatDuration, formatMillisecond } from '../format/dates.ts'
import { formatDecimal } from '../format/money.ts'
import { formatSentences } from '../format/sentences.ts'
import { toneIcons } from '../ui/StatusIcon.tsx'
import type { TimelineEntry } from '../ui/Timeline.tsx'
import { t } from '../language/t.ts'

type RecordStep = RecordDetail['timeline'][number]

/** "620 ms", "1.24 s", "4 min 10 s": a span between two steps. */
export function formatSpan(spanMs: number): string {
  if (spanMs < 1_000) return t('{duration} ms', { duration: Math.max(0, spanMs) })
  return spanMs < 60_000
    ? t('{duration} s', { duration: formatDecimal(Math.floor(spanMs / 10) / 100, 2) })
    : formatDuration(spanMs)
}

/** From the first step to the last; undefined with fewer than two steps. */
export function spanOf(timeline: readonly RecordStep[]): string | undefined {
  const [first, last] = [timeline[0], timeline.at(-1)]
  if (!first || !last || first === last) return undefined
  return formatSpan(Date.parse(last.at) - Date.parse(first.at))
}

/** The last step and every failed step have a status icon. Visual language §8. */
export function timelineSteps(timeline: readonly RecordStep[]): readonly TimelineEntry[] {
  return timeline.map(({ at, title, detailWords, status }, index) => {
    const before = timeline[index - 1]
    const hasIcon = index === timeline.length - 1 || status === 'bad' || status === 'warn'
    return {
      id: `${index}`,
      time: formatMillisecond(at),
      title: t(title),
      detail: formatSentences(detailWords),
      ...(before && { since: `+${formatSpan(Date.parse(at) - Date.parse(before.at))}` }),
      ...(hasIcon && { icon: { shape: toneIcons[status], tone: status } }),
    }
  })
}
