// Figures of equal steps of time as bars, the present one last.
interface HourBarsProps {
  readonly hours: readonly number[]
  readonly label: string
}

const barPx = 4
const heightPx = 28

export function HourBars({ hours, label }: HourBarsProps) {
  const max = Math.max(1, ...hours)
  return (
    <svg role="img" aria-label={label} width={hours.length * barPx} height={heightPx} className="block">
      {hours.map((count, index) => {
        // A single refusal must stay visible beside a thousand.
        const height = count === 0 ? 1 : Math.max(3, Math.round((count / max) * (heightPx - 2)))
        return (
          <rect
            key={index}
            x={index * barPx}
            y={heightPx - height}
            width={barPx - 1}
            height={height}
            className={count === 0 ? 'fill-line-strong' : 'fill-chart-1'}
          />
        )
      })}
    </svg>
  )
}
