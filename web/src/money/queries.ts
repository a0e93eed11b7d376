// What all screens of money read.
import { type BillingTerms, billingRoutes, type ownPeriodSorts } from '@tollgate/contract/billing/bills.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { useApiQuery, useApiPages } from '../api/use-api.ts'
import { formatUsdt } from '../format/money.ts'
import { t } from '../language/t.ts'

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

/** The rules for all payments. `about`: what an act is about, whose earlier amount does not count twice. */
export function useTerms(about?: string) {
  return useApiQuery(billingRoutes.getBillingTerms, about === undefined ? {} : { query: { about } })
}

/** The sums of the money of all clients. */
export function useSummary() {
  return useApiQuery(billingRoutes.getBillingSummary, {}, { refetchIntervalMs: moneyPollMs })
}

const micro = (amount: string) => parseMicro(amount) ?? 0n

/** Whether an act of this amount needs a second person: with what the viewer moved alone in 24 hours, it is above the limit. */
export function needsSecondPerson(amount: string, terms: BillingTerms | undefined): boolean {
  if (terms === undefined || micro(amount) === 0n) return false
  return micro(amount) + micro(terms.movedAlone) > micro(terms.secondPersonAbove)
}

/** The sentence that says so before the act; '' when nobody else is needed. */
export function secondPersonNote(amount: string, terms: BillingTerms | undefined): string {
  if (terms === undefined || !needsSecondPerson(amount, terms)) return ''
  const { secondPersonAbove: limit, movedAlone } = terms
  return micro(amount) > micro(limit)
    ? t('Above {limit}, a second person must approve.', { limit: formatUsdt(limit) })
    : t(
        'You moved {movedAlone} on your own in the last 24 hours. Above {limit} in total, a second person must approve.',
        { movedAlone: formatUsdt(movedAlone), limit: formatUsdt(limit) },
      )
}
