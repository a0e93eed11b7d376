// Drawn with the shell on every page, so it brings no more than it must: the routes come when they are first asked.
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useSession } from '../api/session.tsx'

async function sumUp() {
  const { billingRoutes } = await import('@tollgate/contract/billing.ts')
  return call(billingRoutes.getBillingSummary)
}

/** Bills that wait to be paid, for those who pay. */
export function useUnpaidBills(): { value: number; tone: 'warn' } | undefined {
  const { may } = useSession()
  const { data } = useQuery({
    // The key that useApiQuery gives this route: whoever refetches its path means this count, too.
    queryKey: ['/api/billing/summary', null, null],
    queryFn: sumUp,
    enabled: may('paymentManagement'),
  })
  return data && { value: data.ready.count, tone: 'warn' }
}
