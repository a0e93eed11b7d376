// PostgreSQL's own rate: the same rows, indexes and commits as ingest, by plain text COPY over two connections in batches
// of 500, and nothing else.
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Pricing } from '@tollgate/server/rates/index.ts'

const columns = `created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id, range_id, gateway_id, rate_id,
  cycle_id, status, settlement, sender`
const batchRows = 500

/** Copies over all clients at once for this time; returns how many rows were committed. */
export async function copyPlainly(
  clients: readonly pg.Client[],
  pricing: Pricing,
  digits: readonly string[],
  forMs: number,
): Promise<number> {
  const endsAt = performance.now() + forMs
  const copyLoop = async (client: pg.Client) => {
    let rowCount = 0
    while (performance.now() < endsAt) {
      const { rows } = await client.query<{ id: string }>(`select nextval('transaction_ids') as id`)
      const text = Array.from({ length: batchRows }, (_, place) =>
        plainRow(pricing, digits, Number(rows[0]?.id) * 4096 + place),
      ).join('')
      const stream = client.query(copyFrom(`copy records (${columns}) from stdin`))
      await new Promise<void>((resolve, reject) => {
        stream.on('finish', resolve)
        stream.on('error', reject)
        stream.end(text)
      })
      rowCount += batchRows
    }
    return rowCount
  }
  const counts = await Promise.all(clients.map(copyLoop))
  return counts.reduce((sum, count) => sum + count, 0)
}

function plainRow(pricing: Pricing, digits: readonly string[], id: number): string {
  const entry = pricing.find(digits[Math.floor(Math.random() * digits.length)] ?? '')
  if (entry === undefined) throw new Error('A number is missing')
  const now = Date.now()
  const at = new Date(now).toISOString()
  const clientId = entry.holderAt(now)
  const { rateId, rateMicro } = pricing.rateFor(entry, clientId, now)
  return `${at}\t${id}\t${at}\t${entry.tariffAt(now)}\t${rateMicro}\t${entry.numberId}\t${clientId}\t${entry.rangeId}\t${1 + (id % 4)}\t${rateId}\t1\t2\t1\t4915${1_000_000 + (id % 900_000)}\n`
}
