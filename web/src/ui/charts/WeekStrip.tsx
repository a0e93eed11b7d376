import { formatCount } from '../../format/money.ts'
import { classNames } from '../class-names.ts'
import { t } from '../../language/t.ts'

export interface StripDay {
  /** 'Mon'. */
  readonly weekday: string
  /** '16/11'. */
  readonly date: string
  readonly state: 'past' | 'today' | 'future'
  /** 24 values; none for a future day. */
  readonly hours: readonly number[]
}

interface WeekStripProps {
  /** 'SMS per hour, 16/11/2026 – 23/11/2026'. */
  readonly label: string
  readonly days: readonly StripDay[]
  readonly heightPx?: number
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/**
 * The billing cycle: one thin bar for each hour, days separated by lines, today's line in the accent colour, future
 * days dotted.
 */
export function WeekStrip({ label, days, heightPx = 112 }: WeekStripProps) {
  const max = Math.max(1, ...days.flatMap((day) => day.hours))
  return (
    <ol aria-label={label} className="chart grid auto-cols-fr grid-flow-col">
      {days.map((day) => (
        <li
          key={day.date}
          {...(day.state === 'today' && { 'aria-current': 'date' as const })}
          className={classNames(
            'min-w-0 border-s px-1.5 last:border-e last:border-e-line',
            day.state === 'today'
              ? 'border-s-2 border-s-accent forced-colors:border-s-[Highlight]'
              : 'border-s-line',
          )}
        >
          <p
            className={classNames(
              '-mx-1 h-5 truncate text-2xs leading-5',
              day.state === 'today' ? 'font-semibold' : 'text-ink-2',
            )}
          >
            {day.state === 'future' ? (
              <span className="sr-only">{t('still to come')}</span>
            ) : (
              <DaySum value={sum(day.hours)} />
            )}
          </p>
          <DayHours day={day} max={max} heightPx={heightPx} />
          <p
            className={classNames(
              'pt-1 text-xs leading-4 whitespace-nowrap max-sm:-mx-1 max-sm:text-2xs',
              day.state === 'today' ? 'font-semibold' : 'text-ink-3',
            )}
          >
            {day.weekday}
            <br />
            <span className={day.state === 'today' ? 'text-accent-ink' : undefined}>
              {day.state === 'today' ? t('today') : day.date}
            </span>
          </p>
        </li>
      ))}
    </ol>
  )
}

/** The whole number if it fits; otherwise in thousands, cut and not rounded up. */
function DaySum({ value }: { value: number }) {
  const whole = formatCount(value)
  if (value < 100_000) return whole
  return <span title={whole}>{formatCount(Math.floor(value / 1_000))}k</span>
}

function DayHours({ day, max, heightPx }: { day: StripDay; max: number; heightPx: number }) {
  return (
    <svg
      viewBox={`0 0 96 ${heightPx}`}
      preserveAspectRatio="none"
      width="100%"
      height={heightPx}
      aria-hidden="true"
      className="block"
    >
      {day.hours.map((value, hour) => {
        const height = (value / max) * (heightPx - 4)
        return (
          <rect
            key={hour}
            x={hour * 4 + 0.5}
            y={heightPx - 1 - height}
            width="3"
            height={height}
            opacity={day.state === 'today' ? 1 : 0.5}
            className="fill-chart-1"
          />
        )
      })}
      <line
        x1="0"
        x2="96"
        y1={heightPx - 0.5}
        y2={heightPx - 0.5}
        vectorEffect="non-scaling-stroke"
        strokeDasharray={day.state === 'future' ? '2 3' : undefined}
        className={day.state === 'future' ? 'stroke-ink-mute' : 'stroke-line-strong'}
      />
    </svg>
  )
}
