// Arithmetic and ids of bills, without a database.

/** Spec §3, costPerSms: the effective average in millionths, rounded half up; 0 without messages. */
export function averageMicro(totalMicro: bigint, count: bigint): bigint {
  return count <= 0n || totalMicro <= 0n ? 0n : (totalMicro * 2n + count) / (count * 2n)
}

/** A bill or a payout. */
export type DebtId =
  | { readonly kind: 'period'; readonly cycleId: number; readonly userId: number }
  | { readonly kind: 'payout'; readonly id: string }

/** The debt that a reference names: `3-17` is a bill, `payout-5` a payout. */
export function parseReference(reference: string): DebtId | undefined {
  const payout = /^payout-([1-9]\d{0,17})$/.exec(reference)?.[1]
  if (payout !== undefined) return { kind: 'payout', id: payout }
  const period = parsePeriodId(reference)
  return period && { kind: 'period', ...period }
}

/** A period's id is its cycle and its user, so it is the same before and after the close. */
export function parsePeriodId(id: string): { cycleId: number; userId: number } | undefined {
  const [, cycle, user] = /^([1-9]\d{0,8})-([1-9]\d{0,8})$/.exec(id) ?? []
  return cycle === undefined || user === undefined
    ? undefined
    : { cycleId: Number(cycle), userId: Number(user) }
}

/** What leads to the messages behind a figure of a period. */
interface RecordLink {
  readonly cycleId: number
  readonly userId: number
  readonly settlement: 'bill' | 'payout'
  readonly number?: string
  readonly rateId?: number
  /** As a decimal, for the person who follows the link. */
  readonly rate?: string
}

/** The path of the records list with exactly these messages. What was held when the period closed is in no figure. */
export function recordsUrl({ cycleId, userId, settlement, number, rateId, rate }: RecordLink): string {
  const query = new URLSearchParams({ period: `${cycleId}-${userId}`, settlement, hold: 'none' })
  if (number !== undefined) query.set('number', number)
  if (rate !== undefined && rate !== '') query.set('rate', rate)
  if (rateId !== undefined) query.set('rateId', String(rateId))
  return `/sms-records?${query.toString()}`
}

/** The path of the records list with the messages that were held when the period closed, or are held now. */
export const heldUrl = (cycleId: number, userId: number): string =>
  `/sms-records?period=${cycleId}-${userId}&hold=held`

/** The path of the records list with the messages that a correction credits. */
export const correctionUrl = (id: string): string => `/sms-records?correction=${id}`

/** A range of accounts by id, both ends included. */
export interface AccountSpan {
  readonly from: number
  readonly to: number
}

// The largest id that a column of type int can have.
export const allAccounts: AccountSpan = { from: 1, to: 2_147_483_647 }
