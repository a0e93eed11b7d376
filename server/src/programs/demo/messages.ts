// Realistic messages: source addresses, texts, and the traffic of each hour.
import { splitText } from '@tollgate/smpp/text/split.ts'

export interface DemoNumber {
  readonly number: string
  readonly weight: number
}

export interface DemoSegment {
  readonly sender: string
  readonly digits: string
  readonly dataCoding: number
  readonly esmClass: number
  readonly octets: Uint8Array
}

// Mobile numbers that are reserved for fiction: the first of a block, and how many follow.
const phones = [
  { first: 447700900000, count: 1000 },
  { first: 33639981000, count: 8000 },
  { first: 491713920000, count: 100 },
  { first: 46701740605, count: 95 },
  { first: 61491570000, count: 1000 },
  { first: 353209150000, count: 9000 },
  { first: 12125550100, count: 100 },
]

const texts = [
  'VOTE 3',
  'VOTE 7',
  'QUIZ A',
  'QUIZ B',
  'JOIN',
  'STOP',
  'INFO',
  'WIN 2026',
  'Score please',
  'HELP',
  'Wetter Köln',
  'Météo Lyon demain',
  'RÉPONSE C',
  'Grüße an Oma! Bitte "Dancing Queen" spielen',
  'Hälsningar från Malmö',
  'לחיים! תשובה ב',
  'Vote for number 5 🎉',
  'Please play our song for everybody on the night shift at the harbour, they have been out since four and they keep asking for it. Greetings from the whole crew and from Molly!',
]

// Traffic by hour, UTC (Spec §2): quiet nights, a small peak at noon, the largest during evening television votes.
const hourWeights = [2, 1, 1, 1, 1, 2, 4, 7, 9, 10, 11, 13, 15, 14, 12, 12, 14, 18, 24, 30, 32, 26, 14, 6]
const heaviestHour = Math.max(...hourWeights)
// So much comes at night that the demo is seen to live.
const activityMin = 0.25
/** Messages of all suppliers in the busiest hour of a week: in the last weeks, and now. */
export const perHourMax = 1_000
/** How many go to numbers that are not ours: a supplier's routing is wrong sometimes. */
export const strangeShare = 0.01

/** The traffic at a time, to 1. Weekend evenings are the busiest. */
export function activityAt(timeMs: number): number {
  const time = new Date(timeMs)
  const hour = time.getUTCHours()
  const share = time.getUTCMinutes() / 60
  const weight =
    (hourWeights[hour] ?? 0) * (1 - share) + (hourWeights[(hour + 1) % hourWeights.length] ?? 0) * share
  const isWeekend = [0, 6].includes(time.getUTCDay())
  return Math.max(activityMin, (weight / heaviestHour) * (isWeekend ? 1 : 0.75))
}

/** Picks a number at random by weight. */
export function pickNumber(numbers: readonly DemoNumber[], random: () => number): string {
  let left = random() * numbers.reduce((sum, { weight }) => sum + weight, 0)
  for (const { number, weight } of numbers) {
    left -= weight
    if (left < 0) return number
  }
  return numbers[0]?.number ?? ''
}

/** The segments of one message: mostly one, two for a long text. */
export function makeMessage(digits: string, random: () => number): DemoSegment[] {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]
  const phone = pick(phones)
  const sender = String((phone?.first ?? 0) + Math.floor(random() * (phone?.count ?? 1)))
  const parts = splitText(pick(texts) ?? '', { reference: Math.floor(random() * 256) }) ?? []
  return parts.map(({ dataCoding, esmClass, octets }) => ({ sender, digits, dataCoding, esmClass, octets }))
}
