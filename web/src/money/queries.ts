// What the money pages read and change.
import { billingRoutes, type BillingTerms, type ownPeriodSorts } from '@tollgate/contract/billing.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { useCall, usePages } from '../api/use-call.ts'

/** Every list in which a bill, a payment or a payout shows. */
export const moneyPaths = ['/api/billing', '/api/payments', '/api/payouts'] as const

/** A payment's check on chain and the close of a cycle change bills without a word in the feed. */
export const moneyPollMs = 10_000

// Half a year of weeks and the open one; more are one click away.
const periodsAtFirst = 27

/** The viewer's periods, newest first: the open one and the bills. */
export function useOwnPeriods() {
  return usePages(
    billingRoutes.listPeriods,
    { query: { limit: periodsAtFirst } },
    { refetchIntervalMs: moneyPollMs },
  )
}

/** The same in any order, with the periods that came to no bill. */
export function useOwnHistory(sort: (typeof ownPeriodSorts)[number], order: 'asc' | 'desc') {
  return usePages(
    billingRoutes.listPeriods,
    { query: { sort, order, unbilled: 'true', limit: periodsAtFirst } },
    { refetchIntervalMs: moneyPollMs },
  )
}

/** What holds for every payment. */
export function useTerms() {
  return useCall(billingRoutes.getBillingTerms)
}

/** Where the money of all clients stands. */
export function useSummary() {
  return useCall(billingRoutes.getBillingSummary, {}, { refetchIntervalMs: moneyPollMs })
}

/** Whether the payment of this amount waits for somebody else. */
export function needsSecondPerson(amount: string, terms: BillingTerms | undefined): boolean {
  return terms !== undefined && (parseMicro(amount) ?? 0n) > (parseMicro(terms.secondPersonAbove) ?? 0n)
}
