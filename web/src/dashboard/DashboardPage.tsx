import { formatLongDay } from '../format/dates.ts'
import { PageHeader } from '../ui/PageHeader.tsx'
import { useNow } from '../ui/use-now.ts'

/** The first page: what the gateway does today. */
export function DashboardPage() {
  const now = useNow(60_000)
  return <PageHeader title="Dashboard">{formatLongDay(now)} · all times UTC</PageHeader>
}
