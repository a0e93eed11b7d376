// What a random history of debts reads from the database.
import { sql } from 'kysely'
import { row, rows, type Db } from '../../src/platform/db.ts'
import { messageIdOf } from '../../src/ingest/index.ts'
import type { Product } from './random-debts.ts'

export function moneyReads(db: Db): Pick<Product, 'addressOf' | 'messagesOf'> {
  return {
    async addressOf({ client, cycleId, payoutId }) {
      const found = await row<{ address: string | null }>(
        db,
        sql`select usdt_address as address from debts
            where (user_id, cycle_id) = (${client}, ${cycleId}) and payout_id is not distinct from ${payoutId ?? null}::bigint`,
      )
      return found?.address ?? ''
    },
    async messagesOf({ client, cycleId }, count) {
      const found = await rows<{ created_at: Date; id: string; amount: string }>(
        db,
        sql`select created_at, id, amount_micro as amount from records
            where (client_id, cycle_id, settlement) = (${client}, ${cycleId}, 1)
              and not exists (select from hold_records h where h.record_id = records.id) order by id limit ${count}`,
      )
      return found.map(({ created_at: at, id, amount }) => ({
        id: messageIdOf({ createdAtMs: at.getTime(), recordId: Number(id) }),
        amount: BigInt(amount),
      }))
    },
  }
}
