// Providers whose polls fail, that fell silent, or whose rows cannot be read, as alerts.
import type { Worker } from '@tollgate/contract/providers/providers.ts'
import { quote, sentence } from '@tollgate/contract/sentences.ts'
import { alertTexts, type FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import type { Db } from '../platform/db.ts'
import { viewWorkers } from './views.ts'

export async function providerAlerts(db: Db, now: Date): Promise<FoundAlert[]> {
  const { workers } = await viewWorkers(db)
  return workers.flatMap((worker) => [...failing(worker, now), ...silent(worker), ...unreadable(worker, now)])
}

function failing(worker: Worker, now: Date): FoundAlert[] {
  if (worker.status !== 'error') return []
  const since = worker.failingSince ?? now.toISOString()
  return [
    {
      ...shared(worker, 'failing'),
      ...alertTexts({
        name: worker.name,
        what: [sentence('Its polls fail.'), quote(worker.lastError)],
        advice: sentence('Test the provider: it shows the step that fails. Polling continues automatically.'),
      }),
      severity: 'critical',
      since,
      last: now.toISOString(),
      count: null,
    },
  ]
}

function silent(worker: Worker): FoundAlert[] {
  const { gapSince, newestRecord } = worker
  if (gapSince === null) return []
  return [
    {
      ...shared(worker, 'gap'),
      ...alertTexts({
        name: worker.name,
        what: [sentence('It answers, but has delivered no record for longer than its gap alarm allows.')],
        advice: sentence('Ask the provider whether it has records, and check its mapping with a test.'),
      }),
      severity: 'warning',
      since: gapSince,
      last: newestRecord ?? gapSince,
      count: null,
    },
  ]
}

function unreadable(worker: Worker, now: Date): FoundAlert[] {
  const { deadLetters: count } = worker
  if (count === 0) return []
  return [
    {
      ...shared(worker, 'dead_letters'),
      ...alertTexts({
        name: worker.name,
        what: [
          count === 1
            ? sentence('1 row could not become a record.')
            : sentence('{count} rows could not become records.', { count }),
        ],
        advice: sentence('Look at the dead letters, fix the mapping or add the numbers, and replay them.'),
      }),
      severity: 'warning',
      since: worker.lastSync ?? now.toISOString(),
      last: worker.lastSync ?? now.toISOString(),
      count,
    },
  ]
}

function shared({ providerId }: Worker, way: string) {
  return {
    key: `provider:${way}:${providerId}`,
    kind: 'provider' as const,
    hours: [],
    about: { providerId, way },
  }
}
