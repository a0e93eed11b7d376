import type { Tone } from '../StatusIcon.tsx'

interface SparklineProps {
  readonly values: readonly number[]
  /** What it shows. The figure beside it has the value. */
  readonly label: string
  readonly widthPx?: number
  readonly heightPx?: number
}

/** A small line of past values with a dot at the last one. Never the only source of a value. */
export function Sparkline({ values, label, widthPx = 96, heightPx = 32 }: SparklineProps) {
  const min = Math.min(...values)
  const span = Math.max(...values) - min || 1
  const pad = 4
  const points = values.map((value, index) => ({
    x: pad + (index / Math.max(1, values.length - 1)) * (widthPx - 2 * pad),
    y: heightPx - pad - ((value - min) / span) * (heightPx - 2 * pad),
  }))
  const first = points[0]
  const last = points.at(-1)
  if (!first || !last) return null
  const line = points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')
  return (
    <svg role="img" aria-label={label} width={widthPx} height={heightPx} className="block">
      <path
        d={`M${line}L${last.x} ${heightPx}L${first.x} ${heightPx}z`}
        opacity="0.1"
        className="fill-chart-1"
      />
      <path d={`M${line}`} fill="none" strokeWidth="1.5" strokeLinejoin="round" className="stroke-chart-1" />
      <circle cx={last.x} cy={last.y} r="2" className="fill-chart-1" />
    </svg>
  )
}

const tickFills: Record<Tone, string> = {
  ok: 'fill-ok-lamp',
  info: 'fill-info-lamp',
  warn: 'fill-warn-lamp',
  bad: 'fill-bad-lamp',
  idle: 'fill-idle-lamp',
}

interface TickStripProps {
  /** Oldest first. */
  readonly ticks: readonly Tone[]
  readonly label: string
}

/** One tick for each time span. Worse states are shorter, so that colour is not the only sign. */
export function TickStrip({ ticks, label }: TickStripProps) {
  return (
    <svg role="img" aria-label={label} width={ticks.length * 4} height="20" className="block">
      {ticks.map((tone, index) => {
        const height = tone === 'ok' ? 18 : tone === 'bad' ? 6 : 11
        return (
          <rect
            key={index}
            x={index * 4 + 1}
            y={20 - height}
            width="2"
            height={height}
            className={tickFills[tone]}
          />
        )
      })}
    </svg>
  )
}
