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
 * Compares an hour's count with the same hour of the days before. The spread is an estimate of the standard deviation.
 * Silent: a tenth of the median at most, and more than four spreads below it. Loud: three times the median at least,
 * and more than eight spreads above it.
 */
export function judgeHour({ count, usual }: { count: number; usual: readonly number[] }): HourVerdict {
  if (usual.length < daysMin) return 'usual'
  const median = medianOf(usual)
  const deviations = usual.map((each) => Math.abs(each - median))
  // Counts of independent events vary by the square root of their mean (Poisson), even when all days happen to be
  // alike.
  const spread = Math.max(medianOf(deviations) * madToDeviation, Math.sqrt(Math.max(1, median)))
  if (median >= silenceUsualMin && count <= median / 10 && count < median - silenceSpreads * spread)
    return 'silent'
  if (count >= burstCountMin && count >= median * 3 && count > median + burstSpreads * spread) return 'loud'
  return 'usual'
}

/** The median; 0 when there are no counts. */
export function medianOf(counts: readonly number[]): number {
  const sorted = counts.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2
}
