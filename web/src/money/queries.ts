// What the money pages read and change.
import { billingRoutes, type BillingTerms, type ownPeriodSorts } from '@tollgate/contract/billing.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { useApiQuery, useApiPages } from '../api/use-api.ts'

/** Every list in which a bill, a payment or a payout shows. */
export const moneyPaths = ['/api/billing', '/api/payments', '/api/payouts'] as const

/** A payment's check on chain and the close of a cycle change bills without a word in the feed. */
export const moneyPollMs = 10_000

// Half a year of weeks and the open one; more are one click away.
const periodsPageSize = 27

/** The viewer's periods, newest first: the open one and the bills. */
export function useOwnPeriods() {
  return useApiPages(
    billingRoutes.listPeriods,
    { query: { limit: periodsPageSize } },
    { refetchIntervalMs: moneyPollMs },
  )
}

/** The same in any order, with the periods that came to no bill. */
export function useOwnHistory(sort: (typeof ownPeriodSorts)[number], order: 'asc' | 'desc') {
  return useApiPages(
    billingRoutes.listPeriods,
    { query: { sort, order, unbilled: 'true', limit: periodsPageSize } },
    { refetchIntervalMs: moneyPollMs },
  )
}

/** What holds for every payment. */
export function useTerms() {
  return useApiQuery(billingRoutes.getBillingTerms)
}

/** Where the money of all clients stands. */
export function useSummary() {
  return useApiQuery(billingRoutes.getBillingSummary, {}, { refetchIntervalMs: moneyPollMs })
}

/** Whether the payment of this amount waits for somebody else. */
export function needsSecondPerson(amount: string, terms: BillingTerms | undefined): boolean {
  return terms !== undefined && (parseMicro(amount) ?? 0n) > (parseMicro(terms.secondPersonAbove) ?? 0n)
}
