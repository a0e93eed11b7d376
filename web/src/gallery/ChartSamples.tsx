import { BarChart } from '../ui/charts/BarChart.tsx'
import { HeartbeatAge } from '../ui/charts/HeartbeatAge.tsx'
import { Sparkline, TickStrip } from '../ui/charts/Sparkline.tsx'
import { WeekStrip } from '../ui/charts/WeekStrip.tsx'
import { Card } from '../ui/Card.tsx'
import { StatStrip } from '../ui/StatStrip.tsx'
import { useNow } from '../ui/use-now.ts'
import { GallerySection } from './GallerySection.tsx'

const hours = [460, 320, 250, 210, 230, 340, 620, 1_010, 1_258, 1_440, 1_530, 1_540, 1_450, 1_330, 520]
const two = (value: number) => String(value).padStart(2, '0')

export function ChartSamples() {
  const now = useNow()
  const week = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
  return (
    <GallerySection title="Charts">
      <StatStrip
        label="Gateway"
        stats={[
          {
            label: 'Gateway Status',
            figure: 'Online',
            note: 'up 12 d 4 h',
            graph: (
              <TickStrip
                ticks={hours.map((value) => (value === 250 ? 'warn' : 'ok'))}
                label="Mostly online"
              />
            ),
          },
          { label: 'Active Connections', figure: '7', note: '6 in, 1 out' },
          { label: 'SMS Records', figure: undefined },
          {
            label: 'Open cycle',
            figure: '3,006.20',
            unit: 'USDT',
            graph: <Sparkline values={hours} label="By hour" />,
          },
        ]}
      />
      <div className="grid gap-4 lg:grid-cols-[2fr_1fr]">
        <Card title="Today's Activity">
          <BarChart
            label="Records by hour"
            totalLabel="Messages Processed"
            compareLabel="Wednesday"
            series={[
              { label: 'Delivered', colour: 1 },
              { label: 'Pending', colour: 2 },
              { label: 'Failed', colour: 3 },
            ]}
            bars={Array.from({ length: 24 }, (_, hour) => ({
              label: `${two(hour)}:00 – ${two(hour + 1)}:00`,
              tick: hour % 3 === 0 ? `${two(hour)}:00` : '',
              values:
                hour < hours.length
                  ? [hours[hour] ?? 0, hour === 14 ? 110 : 12, hour > 6 ? 41 : 0]
                  : [0, 0, 0],
              isRunning: hour === 14,
              compare: 300 + hour * 20,
            }))}
          />
        </Card>
        <Card title="Open cycle" aside="closes in 3 d 9 h">
          <WeekStrip
            label="SMS per hour"
            days={week.map((weekday, day) => ({
              weekday,
              date: `${16 + day}/11`,
              state: day < 3 ? 'past' : day === 3 ? 'today' : 'future',
              hours: day < 3 ? [...hours, ...hours.slice(0, 9)] : day === 3 ? hours : [],
            }))}
          />
          <p className="pt-3">
            <HeartbeatAge at={new Date(now - 6_000).toISOString()} now={now} />{' '}
            <HeartbeatAge at={new Date(now - 90_000).toISOString()} now={now} />
          </p>
        </Card>
      </div>
    </GallerySection>
  )
}
