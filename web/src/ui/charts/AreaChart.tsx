// One figure over time as a filled line chart, baseline 0. Visual language §11.
import { useActivePoint } from './use-active-point.ts'
import { useWidth } from './use-width.ts'
import { t } from '../../language/t.ts'

interface AreaChartProps {
  readonly label: string
  /** Oldest first, at equal distances. */
  readonly points: readonly { readonly value: number; readonly time: string; readonly words: string }[]
  readonly heightPx?: number
  /** The value at the upper edge. Higher values are cut and marked. The highest value by default. */
  readonly cutAt?: number | undefined
}

const top = 6
const tipPx = 168

/** The pointer and the arrow keys show each point as text. The start and end times stand below. */
export function AreaChart({ label, points, heightPx = 72, cutAt }: AreaChartProps) {
  const [frame, width] = useWidth<HTMLDivElement>(640)
  const span = Math.max(1, points.length - 1)
  const { picked, handlers } = useActivePoint(points.length, (xPx) => Math.round((xPx / width) * span))
  const most = cutAt ?? (Math.max(0, ...points.map(({ value }) => value)) || 1)
  const xOf = (place: number) => (place / span) * width
  const yOf = (value: number) => heightPx - 1 - Math.min(1, value / most) * (heightPx - 1 - top)
  const line = points.map(({ value }, place) => `${xOf(place).toFixed(1)} ${yOf(value).toFixed(1)}`).join('L')
  const shown = picked === undefined ? undefined : points[picked]
  return (
    <div>
      <div
        ref={frame}
        role="group"
        aria-roledescription={t('line chart')}
        aria-label={t('{label}. Arrow keys go through the points.', { label })}
        tabIndex={0}
        {...handlers}
        className="relative rounded-sm"
      >
        <svg width={width} height={heightPx} aria-hidden="true" className="chart block max-w-full">
          <path d={`M0 ${heightPx}L${line}L${width} ${heightPx}z`} opacity="0.16" className="fill-chart-1" />
          <path
            d={`M${line}`}
            fill="none"
            strokeWidth="1.5"
            strokeLinejoin="round"
            className="stroke-chart-1"
          />
          {points.map(
            ({ value, time }, place) =>
              value > most && (
                <path
                  key={time}
                  d={`M${xOf(place) - 3} ${top - 1}l3-5 3 5z`}
                  data-cut=""
                  className="fill-chart-1"
                />
              ),
          )}
          {picked !== undefined && shown !== undefined && (
            <>
              <line x1={xOf(picked)} x2={xOf(picked)} y1={0} y2={heightPx} className="stroke-line-strong" />
              <circle cx={xOf(picked)} cy={yOf(shown.value)} r="3" className="fill-chart-1" />
            </>
          )}
        </svg>
        {picked !== undefined && shown !== undefined && (
          <div
            className="pointer-events-none absolute bottom-full z-10 mb-1 rounded-lg bg-raised p-2.5 text-xs shadow-pop"
            style={{
              width: tipPx,
              left: Math.min(Math.max(0, xOf(picked) - tipPx / 2), Math.max(0, width - tipPx)),
            }}
          >
            <p className="pb-1 font-semibold">{shown.time}</p>
            <p>{shown.words}</p>
          </div>
        )}
        <p className="sr-only" aria-live="polite">
          {shown && `${shown.time}: ${shown.words}`}
        </p>
      </div>
      <div aria-hidden="true" className="chart flex justify-between pt-1 text-2xs text-ink-3">
        <span>{points[0]?.time}</span>
        <span>{points.at(-1)?.time}</span>
      </div>
    </div>
  )
}
