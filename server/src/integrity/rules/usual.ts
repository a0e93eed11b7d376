// What is usual at a client, from days that are frozen.

/** What was measured of a client's day when it was frozen. */
export interface UsualDay {
  /** Ten minutes with messages, of all senders, by hour of the day in UTC. */
  readonly hours: readonly number[]
  /** What 99 in 100 blocks had at most. */
  readonly block: number
  /** Senders who wrote in many different ten minutes and had not done so before. */
  readonly paced: number
  /** Of the new senders, those that stand beside another one. */
  readonly nearShare: number
  /** Of the messages, those from blocks that nobody here had before. */
  readonly strangeShare: number
}

export interface Usual {
  readonly block: number
  readonly paced: number
  readonly nearShare: number
  readonly strangeShare: number
  /** The eight hours with the least messages. */
  readonly quietHours: readonly number[]
}

const daysMin = 2
const quietHourCount = 8

/** The usual values of these days, oldest first; undefined for too few. */
export function usualOf(days: readonly UsualDay[]): Usual | undefined {
  if (days.length < daysMin) return undefined
  const hours = Array.from({ length: 24 }, (_, hour) => sum(days.map((day) => day.hours[hour] ?? 0)))
  const quietHours = hours
    .map((count, hour) => ({ count, hour }))
    .toSorted((one, other) => one.count - other.count || one.hour - other.hour)
    .slice(0, quietHourCount)
    .map(({ hour }) => hour)
  return {
    // High values, since a hold needs what is not usual even on a lively day; shares are those of a middling day.
    block: quantile(days, 0.9, ({ block }) => block),
    paced: quantile(days, 0.9, ({ paced }) => paced),
    nearShare: quantile(days, 0.5, ({ nearShare }) => nearShare),
    strangeShare: quantile(days, 0.5, ({ strangeShare }) => strangeShare),
    quietHours,
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function quantile(days: readonly UsualDay[], share: number, of: (day: UsualDay) => number): number {
  const sorted = days.map(of).toSorted((one, other) => one - other)
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0
}

const guardDaysMin = 2
const guardDaysMax = 7

/** How many of the last days are not usual yet: half of the client's age, so that a patient attacker is no habit. */
export const guardDaysAt = (ageDays: number): number =>
  Math.min(guardDaysMax, Math.max(guardDaysMin, Math.floor(ageDays / 2)))
