// Stacked bars over time: legend with figures, one tooltip for pointer and arrow keys, and a table.
import { useState, type ReactNode } from 'react'
import { formatCount, formatShare } from '../../format/money.ts'
import { classNames } from '../class-names.ts'
import { FigureTable, TableToggle } from './FigureTable.tsx'
import { axisSteps } from './scale.ts'
import { useActivePoint } from './use-active-point.ts'
import { useWidth } from './use-width.ts'
import { t } from '../../language/t.ts'

type ChartColour = 1 | 2 | 3 | 5

interface Series {
  readonly label: string
  readonly colour: ChartColour
}

export interface Bar {
  /** The tooltip's title and the table's row: '08:00 – 09:00'. */
  readonly label: string
  /** The label as a link, for the table. */
  readonly lead?: ReactNode
  /** Opens what the bar stands for, at a click or Enter. */
  readonly onOpen?: () => void
  /** The label under the axis. Empty for none. */
  readonly tick: string
  /** One value for each series, from bottom to top. */
  readonly values: readonly number[]
  /** The current hour is paler. */
  readonly isRunning?: boolean
  /** The same hour of the compared day. */
  readonly compare?: number
}

export interface BarChartProps {
  readonly label: string
  readonly series: readonly Series[]
  readonly bars: readonly Bar[]
  /** The label of the sum of all series. */
  readonly totalLabel: string
  /** The label of the dashed line. */
  readonly compareLabel?: string
  readonly heightPx?: number
  /** Writes a value; as a count by default. */
  readonly format?: (value: number) => string
  /** The figure of the whole, where it is not the sum of the bars. */
  readonly total?: string
}

const swatches: Record<ChartColour, string> = {
  1: 'bg-chart-1',
  2: 'bg-chart-2',
  3: 'bg-chart-3',
  5: 'bg-chart-5',
}
const fills: Record<ChartColour, string> = {
  1: 'fill-chart-1',
  2: 'fill-chart-2',
  3: 'fill-chart-3',
  5: 'fill-chart-5',
}
const left = 44
const top = 10
const bottom = 24
const gapPx = 1.5
// The width of "22/11" at 11 px, with some space.
const tickPx = 36

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Bars with a legend. "Show as table" shows the same figures as rows. */
export function BarChart(props: BarChartProps) {
  const [isTable, setTable] = useState(false)
  return (
    <div className="space-y-3">
      <Legend {...props} isTable={isTable} onToggle={() => setTable(!isTable)} />
      {isTable ? <ChartTable {...props} /> : <Plot {...props} />}
    </div>
  )
}

function Legend(props: BarChartProps & { isTable: boolean; onToggle: () => void }) {
  const { series, bars, totalLabel, compareLabel, isTable, onToggle, format = formatCount, total } = props
  const totals = series.map((_, index) => sum(bars.map((bar) => bar.values[index] ?? 0)))
  const all = sum(totals)
  return (
    <div className="flex flex-wrap items-start gap-x-7 gap-y-2">
      <dl className="flex flex-wrap gap-x-7 gap-y-2">
        <div>
          <dt className="text-ink-3">{totalLabel}</dt>
          <dd className="text-lg font-semibold">{total ?? format(all)}</dd>
        </div>
        {/* A single series equals the sum. */}
        {series.length > 1 &&
          series.map(({ label, colour }, index) => (
            <div key={label}>
              <dt className="flex items-center gap-1.5 text-ink-3">
                <span aria-hidden="true" className={classNames('size-2 rounded-[2px]', swatches[colour])} />
                {label}
              </dt>
              <dd className="text-lg font-semibold">
                {format(totals[index] ?? 0)}
                {all > 0 && (
                  <span className="ps-1.5 text-xs font-normal text-ink-3">
                    <bdi>{formatShare((totals[index] ?? 0) / all)}</bdi>
                  </span>
                )}
              </dd>
            </div>
          ))}
      </dl>
      <span className="ms-auto flex items-center gap-4 text-ink-3">
        {compareLabel !== undefined && !isTable && (
          <span className="flex items-center gap-1.5 text-xs">
            <span aria-hidden="true" className="w-4 border-t border-dashed border-ink-3" />
            {compareLabel}
          </span>
        )}
        <TableToggle isTable={isTable} onToggle={onToggle} />
      </span>
    </div>
  )
}

function Plot({ label, series, bars, compareLabel, heightPx = 232, format = formatCount }: BarChartProps) {
  const [frame, width] = useWidth<HTMLDivElement>(640)
  const values = bars.flatMap((bar) => [sum(bar.values), bar.compare ?? 0])
  const steps = axisSteps(Math.max(0, ...values))
  const max = steps.at(-1) ?? 1
  const plotHeight = heightPx - top - bottom
  const slot = (width - left) / Math.max(1, bars.length)
  const yOf = (value: number) => top + plotHeight - (value / max) * plotHeight
  const { picked: active, handlers } = useActivePoint(
    bars.length,
    (xPx) => Math.floor((xPx - left) / slot),
    (at) => bars[at]?.onOpen?.(),
  )
  const shown = active === undefined ? undefined : bars[active]
  const ticked = bars.filter(({ tick }) => tick !== '')
  // When the labels would touch, only every second or third is shown.
  const tickEvery = Math.ceil((ticked.length * tickPx) / Math.max(1, width - left))
  return (
    <div
      ref={frame}
      role="group"
      aria-roledescription={t('bar chart')}
      aria-label={
        bars.some(({ onOpen }) => onOpen !== undefined)
          ? t('{label}. Arrow keys go through the bars, Enter opens the messages.', { label })
          : t('{label}. Arrow keys go through the bars.', { label })
      }
      tabIndex={0}
      {...handlers}
      className={classNames('relative rounded-sm', shown?.onOpen !== undefined && 'cursor-pointer')}
    >
      <svg width={width} height={heightPx} aria-hidden="true" className="chart block max-w-full">
        {steps.map((step) => (
          <g key={step}>
            <line x1={left} x2={width} y1={yOf(step)} y2={yOf(step)} className="stroke-chart-grid" />
            <text x={left - 8} y={yOf(step) + 4} textAnchor="end" className="fill-ink-3 text-2xs">
              {formatCount(step)}
            </text>
          </g>
        ))}
        {active !== undefined && (
          <rect
            x={left + active * slot}
            y={top}
            width={slot}
            height={plotHeight}
            className="fill-surface-3"
          />
        )}
        {bars.map((bar, index) => (
          <g key={bar.label} transform={`translate(${left + index * slot} 0)`}>
            <Stack bar={bar} series={series} slot={slot} yOf={yOf} />
            {bar.tick !== '' && ticked.indexOf(bar) % tickEvery === 0 && (
              <text x={slot / 2} y={heightPx - 6} textAnchor="middle" className="fill-ink-3 text-2xs">
                {bar.tick}
              </text>
            )}
          </g>
        ))}
        <path d={compareLine(bars, slot, yOf)} fill="none" strokeDasharray="2 2.5" className="stroke-ink-3" />
      </svg>
      {shown !== undefined && active !== undefined && (
        <div
          className="pointer-events-none absolute top-2 z-10 w-38 rounded-lg bg-raised p-2.5 text-xs shadow-pop"
          style={{
            left: Math.min(Math.max(0, left + (active + 0.5) * slot - 160), Math.max(0, width - 152)),
          }}
        >
          <p className="pb-1 font-semibold">{shown.label}</p>
          {series.map(({ label: name, colour }, index) => (
            <p key={name} className="flex items-center gap-1.5 leading-5">
              <span className={classNames('size-2 rounded-[2px]', swatches[colour])} />
              <span className="grow">{name}</span>
              {format(shown.values[index] ?? 0)}
            </p>
          ))}
          {shown.compare !== undefined && compareLabel !== undefined && (
            <p className="flex leading-5 text-ink-3">
              <span className="grow">{compareLabel}</span>
              {format(shown.compare)}
            </p>
          )}
        </div>
      )}
      <p className="sr-only" aria-live="polite">
        {shown &&
          `${shown.label}: ${series.map(({ label: name }, index) => `${name} ${format(shown.values[index] ?? 0)}`).join(', ')}`}
      </p>
    </div>
  )
}

interface StackProps {
  readonly bar: Bar
  readonly series: readonly Series[]
  readonly slot: number
  readonly yOf: (value: number) => number
}

function Stack({ bar, series, slot, yOf }: StackProps) {
  const width = Math.max(2, slot * 0.62)
  return bar.values.map((value, index) => {
    const from = sum(bar.values.slice(0, index))
    if (value <= 0) return null
    const y = yOf(from + value)
    // At least one pixel: a few failures among thousands must stay visible.
    const height = Math.max(1, yOf(from) - y - (index > 0 ? gapPx : 0))
    const colour = series[index]?.colour ?? 1
    return (
      <rect
        key={series[index]?.label}
        x={(slot - width) / 2}
        y={y}
        width={width}
        height={height}
        rx={Math.min(2, height / 2)}
        opacity={bar.isRunning === true && index === 0 ? 0.55 : 1}
        className={fills[colour]}
      />
    )
  })
}

/** A step line through the bars that have a comparison. */
function compareLine(bars: readonly Bar[], slot: number, yOf: (value: number) => number): string {
  let path = ''
  for (const [index, { compare }] of bars.entries()) {
    if (compare === undefined) continue
    const x = left + index * slot
    path += `${path === '' ? 'M' : 'L'}${x} ${yOf(compare)}H${x + slot}`
  }
  return path
}

function ChartTable({ label, series, bars, compareLabel, format = formatCount }: BarChartProps) {
  const heads = [...series.map((one) => one.label), ...(compareLabel === undefined ? [] : [compareLabel])]
  const rows = bars.map((bar) => ({
    label: bar.label,
    ...(bar.lead !== undefined && { lead: bar.lead }),
    figures: [
      ...series.map((_, index) => format(bar.values[index] ?? 0)),
      bar.compare === undefined ? '–' : format(bar.compare),
    ],
  }))
  return <FigureTable label={label} heads={heads} rows={rows} />
}
