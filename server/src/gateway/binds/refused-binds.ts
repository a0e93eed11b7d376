// Counts refused binds by the hour, reason, system_id and address: a supplier who cannot bind is seen before he calls.
import { sql } from 'kysely'
import { changed, type Db } from '../../platform/db.ts'
import { HourCounts, type HourCount } from '../../platform/hour-counts.ts'
import type { Logger } from '../../platform/log.ts'
import { Recurring } from '../../platform/work/recurring.ts'
import { printableAddress } from '../message/address.ts'

/** What refused binds are counted by. */
export interface RefusedBind {
  readonly reason: string
  readonly systemId: string
  readonly address: string
}

// A peer that guesses system_ids must fill neither the memory nor the table.
const itemsMax = 1_000
const saveEveryMs = 1_000
const savesPerSweep = 3_600

export class RefusedBinds {
  readonly #counts = new HourCounts<RefusedBind>({
    nameOf: ({ reason, systemId, address }) => `${reason} ${address} ${systemId}`,
    otherOf: ({ reason }) => ({ reason, systemId: 'other', address: 'other' }),
    itemsMax,
  })
  readonly #saving: Recurring
  readonly #db: Db
  #saveCount = 0

  constructor(db: Db, log: Pick<Logger, 'warn'>) {
    this.#db = db
    this.#saving = new Recurring({
      run: () => this.#save(),
      everyMs: saveEveryMs,
      onFault: (error, isFirst) =>
        isFirst && log.warn({ err: error }, 'Counts of refused binds are saved later'),
    })
  }

  add({ systemId, ...bind }: RefusedBind): void {
    this.#counts.add({ ...bind, systemId: printableAddress(systemId) }, Date.now())
  }

  start(): void {
    this.#saving.start()
  }

  stop(): Promise<void> {
    return this.#saving.stopAfterLastRun()
  }

  async #save(): Promise<void> {
    await this.#counts.flush((counts) => addRefusedBinds(this.#db, counts))
    if (this.#saveCount++ % savesPerSweep === 0)
      await changed(
        this.#db,
        sql`delete from refused_binds where hour < clock_timestamp() - interval '14 days'`,
      )
  }
}

async function addRefusedBinds(db: Db, counts: readonly HourCount<RefusedBind>[]): Promise<void> {
  await sql`
    insert into refused_binds (hour, reason, system_id, address, refused_count, last_at)
    select * from unnest(
      ${counts.map(({ hourMs }) => new Date(hourMs))}::timestamptz[],
      ${counts.map(({ item }) => item.reason)}::text[], ${counts.map(({ item }) => item.systemId)}::text[],
      ${counts.map(({ item }) => item.address)}::text[], ${counts.map(({ count }) => count)}::bigint[],
      ${counts.map(({ lastAtMs }) => new Date(lastAtMs))}::timestamptz[]
    ) as added (hour, reason, system_id, address, refused_count, last_at)
    order by hour, reason, system_id, address
    on conflict (hour, reason, system_id, address) do update set
      refused_count = refused_binds.refused_count + excluded.refused_count,
      last_at = greatest(refused_binds.last_at, excluded.last_at)`.execute(db)
}
