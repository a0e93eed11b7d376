// Recognises an address that another provider reads, or read before it was deleted, and asks: rows that are records
// already would otherwise be paid again under the new name.
import type { z } from 'zod'
import type { createProviderSchema } from '@tollgate/contract/providers/providers.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../platform/db.ts'
import { hasRows, recordsOf } from './message-store.ts'
import { lockOthers } from './store.ts'

export type KnownRows = z.output<typeof createProviderSchema>['knownRows']

interface KnownSource {
  readonly id: number
  readonly name: string
  readonly apiUrl: string
  readonly isDeleted: boolean
}

// More are counted as so many: the question is the same.
const countMax = 100_000

/** Host and path: with another scheme or other parameters it may well be the same source. */
export function sourceKey(apiUrl: string): string {
  if (!URL.canParse(apiUrl)) return apiUrl
  const { hostname, port, pathname } = new URL(apiUrl)
  return `${hostname.replace(/\.$/, '')}:${port}${pathname.replace(/\/+$/, '')}`
}

/**
 * The deleted provider that `keep` goes on as; undefined when this address is new or `again` was chosen. Throws the
 * question when it has no answer. `ownId` is the provider that is changed or restored by its name.
 */
export async function askAboutSource(
  tx: Db,
  { apiUrl, ownId, knownRows }: { apiUrl: string; ownId: number | undefined; knownRows: KnownRows },
): Promise<number | undefined> {
  if (knownRows === 'again') return undefined
  const key = sourceKey(apiUrl)
  const others = (await lockOthers(tx, ownId ?? 0)).filter((other) => sourceKey(other.apiUrl) === key)
  for (const other of others) {
    if (!(await hasRows(tx, other.id))) continue
    if (knownRows === 'keep' && other.isDeleted && ownId === undefined) return other.id
    throw await question(tx, other, ownId !== undefined)
  }
  return undefined
}

async function question(tx: Db, { id, name, isDeleted }: KnownSource, isOwn: boolean): Promise<Refusal> {
  const { count, amountMicro } = await recordsOf(tx, id, countMax)
  const values = {
    name,
    count: count < countMax ? count : `${countMax}+`,
    amount: { amount: formatMicro(amountMicro, 2) },
  }
  const canKeep = isDeleted && !isOwn
  return new Refusal(
    'wrong_state',
    isDeleted
      ? sentence(
          'The provider {name} read this address until it was deleted: {count} of its rows are records, of {amount}.',
          values,
        )
      : sentence(
          'The provider {name} reads this address already: {count} of its rows are records, of {amount}.',
          values,
        ),
    {
      fields: {
        knownRows: canKeep
          ? 'Choose whether this is the same source, whose rows stay known, or another one, whose rows are all new'
          : 'Choose “Another source” only if its rows are to become records and be paid once more',
      },
    },
  )
}
