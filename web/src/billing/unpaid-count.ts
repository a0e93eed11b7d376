// The shell shows this counter on every page, so the routes are loaded on demand and not with the first page.
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useSession } from '../api/session.tsx'

async function sumUp() {
  const { billingRoutes } = await import('@tollgate/contract/billing/bills.ts')
  return call(billingRoutes.getBillingSummary)
}

/** The number of bills and payouts that can be paid now, for the roles that pay. */
export function useUnpaidBills(): { value: number; tone: 'warn' } | undefined {
  const { may } = useSession()
  const { data } = useQuery({
    // The key that useApiQuery gives this route, so that a refetch of its path updates this count too.
    queryKey: ['/api/billing/summary', null, null],
    queryFn: sumUp,
    enabled: may('paymentManagement'),
  })
  return data && { value: data.ready.count, tone: 'warn' }
}
