import { useState } from 'react'
import { Card } from '../ui/Card.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { useNow } from '../ui/use-now.ts'
import { t } from '../language/t.ts'
import { AnalyticsChart } from '../analytics/AnalyticsChart.tsx'
import { daysOf, measures, usualAnalytics, type Measure } from '../analytics/search.ts'
import { measureWords } from '../analytics/words.ts'

const periods = [
  { value: '1', label: t('Today') },
  { value: '14', label: t('14 days') },
  { value: '30', label: t('30 days') },
  { value: '90', label: t('90 days') },
] as const

interface TrafficChartProps {
  /** One range, client or supplier. */
  readonly of: { readonly range?: string; readonly client?: string; readonly gateway?: string }
}

/** What one range, client or supplier brought over time; each bar leads to its messages. */
export function TrafficChart({ of }: TrafficChartProps) {
  const now = useNow(60_000)
  const [period, setPeriod] = useState<(typeof periods)[number]['value']>('14')
  const [measure, setMeasure] = useState<Measure>('messages')
  const state = { ...usualAnalytics, ...of, period, measure }
  return (
    <Card
      title={t('Over time')}
      aside={
        <span className="flex flex-wrap gap-2">
          <Segmented label={t('Period')} value={period} onChange={setPeriod} options={periods} />
          <Segmented
            label={t('Measure')}
            value={measure}
            onChange={setMeasure}
            options={measures.map((value) => ({ value, label: measureWords[value] }))}
          />
        </span>
      }
    >
      <AnalyticsChart state={state} days={daysOf(state, now)} now={now} />
    </Card>
  )
}
