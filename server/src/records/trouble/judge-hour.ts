// Whether an hour's traffic is usual, by robust statistics: one strange day among the seven changes little.

export type HourVerdict = 'silent' | 'usual' | 'loud'

// With fewer days nothing is usual yet.
const daysMin = 3
// Below these, chance alone makes hours empty or full.
const silenceUsualMin = 10
const burstCountMin = 100
const silenceSpreads = 4
const burstSpreads = 8
// The median absolute deviation of a normal distribution times this is its standard deviation.
const madToDeviation = 1.4826

/**
 * Compares an hour's count with the same hour of the days before. Silent: a tenth of the middle at most, and further below
 * it than four spreads. Loud: three times the middle at least, and further above it than eight spreads.
 */
export function judgeHour({ count, usual }: { count: number; usual: readonly number[] }): HourVerdict {
  if (usual.length < daysMin) return 'usual'
  const middle = middleOf(usual)
  const deviations = usual.map((each) => Math.abs(each - middle))
  // Counts of independent messages spread by the root of their middle, even when all days happen to be alike.
  const spread = Math.max(middleOf(deviations) * madToDeviation, Math.sqrt(Math.max(1, middle)))
  if (middle >= silenceUsualMin && count <= middle / 10 && count < middle - silenceSpreads * spread)
    return 'silent'
  if (count >= burstCountMin && count >= middle * 3 && count > middle + burstSpreads * spread) return 'loud'
  return 'usual'
}

/** The median; 0 of nothing. */
export function middleOf(counts: readonly number[]): number {
  const sorted = counts.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2
}
