// What all screens of money read.
import { type BillingTerms, billingRoutes, type ownPeriodSorts } from '@tollgate/contract/billing.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { useApiQuery, useApiPages } from '../api/use-api.ts'

/** The lists in which a bill, a payment or a payout shows. */
export const moneyPaths = [
  '/api/billing',
  '/api/payments',
  '/api/payouts',
  '/api/payment-runs',
  '/api/treasury',
] as const

/** The check of a payment on the chain and the close of a cycle send no event, so the lists poll. */
export const moneyPollMs = 10_000

// The open period and half a year of weeks. 'Show more results' adds the next ones.
const periodsPageSize = 27

/** The viewer's periods, newest first: the open one and the bills. */
export function useOwnPeriods() {
  return useApiPages(
    billingRoutes.listPeriods,
    { query: { limit: periodsPageSize } },
    { refetchIntervalMs: moneyPollMs },
  )
}

/** The same in any order, with the periods without a bill. */
export function useOwnHistory(sort: (typeof ownPeriodSorts)[number], order: 'asc' | 'desc') {
  return useApiPages(
    billingRoutes.listPeriods,
    { query: { sort, order, unbilled: 'true', limit: periodsPageSize } },
    { refetchIntervalMs: moneyPollMs },
  )
}

/** The rules for all payments. */
export function useTerms() {
  return useApiQuery(billingRoutes.getBillingTerms)
}

/** The sums of the money of all clients. */
export function useSummary() {
  return useApiQuery(billingRoutes.getBillingSummary, {}, { refetchIntervalMs: moneyPollMs })
}

/** Whether a payment of this amount needs a second person. */
export function needsSecondPerson(amount: string, terms: BillingTerms | undefined): boolean {
  return terms !== undefined && (parseMicro(amount) ?? 0n) > (parseMicro(terms.secondPersonAbove) ?? 0n)
}
