// Providers whose polls fail, that fell silent, or whose rows cannot be read, as troubles.
import type { Worker } from '@tollgate/contract/providers.ts'
import type { FoundTrouble } from '@tollgate/contract/trouble.ts'
import type { Db } from '../platform/db.ts'
import { viewWorkers } from './views.ts'

export async function providerTroubles(db: Db, now: Date): Promise<FoundTrouble[]> {
  const { workers } = await viewWorkers(db)
  return workers.flatMap((worker) => [...failing(worker, now), ...silent(worker), ...unreadable(worker, now)])
}

function failing(worker: Worker, now: Date): FoundTrouble[] {
  if (worker.status !== 'error') return []
  const since = worker.lastSync ?? now.toISOString()
  return [
    {
      ...shared(worker, 'failing'),
      severity: 'critical',
      what: `Its polls fail. ${worker.lastError}`,
      advice: 'Test the provider: it shows the step that fails. The polls go on by themselves.',
      since,
      last: now.toISOString(),
      count: null,
    },
  ]
}

function silent(worker: Worker): FoundTrouble[] {
  const { gapSince, newestRecord } = worker
  if (gapSince === null) return []
  return [
    {
      ...shared(worker, 'gap'),
      severity: 'warning',
      what: 'It answers, but has brought no record for longer than its gap alarm allows.',
      advice: 'Ask the provider whether it has records, and check its mapping with a test.',
      since: gapSince,
      last: newestRecord ?? gapSince,
      count: null,
    },
  ]
}

function unreadable(worker: Worker, now: Date): FoundTrouble[] {
  const { deadLetters: count } = worker
  if (count === 0) return []
  return [
    {
      ...shared(worker, 'dead_letters'),
      severity: 'warning',
      what: count === 1 ? '1 row could not become a record.' : `${count} rows could not become records.`,
      advice: 'Look at the dead letters, mend the mapping or add the numbers, and read them again.',
      since: worker.lastSync ?? now.toISOString(),
      last: worker.lastSync ?? now.toISOString(),
      count,
    },
  ]
}

function shared({ providerId, name }: Worker, way: string) {
  return {
    key: `provider:${way}:${providerId}`,
    kind: 'provider' as const,
    name,
    hours: [],
    about: { providerId, way },
  }
}
