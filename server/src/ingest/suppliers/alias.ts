// What clients see instead of a supplier's name. It stays with the name: a supplier that gets another name is another one.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { SupplierAlias, SupplierKey } from '@tollgate/contract/ingest/suppliers.ts'
import { isPermitted, recordSources } from '@tollgate/contract/vocabulary.ts'
import type { Audit } from '../../audit/index.ts'
import { row, type Db } from '../../platform/db.ts'
import type { Actor, Caller } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'

export interface AliasDeps {
  readonly db: Db
  readonly audit: Pick<Audit, 'record'>
}

interface GatewayRow {
  readonly id: number
  readonly chosen: string | null
  readonly shown: string
}

/** Throws Refusal forbidden for a provider, if the caller may not open providers. */
export async function readAlias(db: Db, key: SupplierKey, actor: Actor): Promise<SupplierAlias> {
  checkMayOpen(key, actor)
  return toReply(await findGateway(db, key))
}

/**
 * Chooses an alias, also before the first message; an empty one takes it back. Throws Refusal not_found for a name that no
 * account, connection or provider has or had, and forbidden as {@link readAlias} does.
 */
export async function setAlias(
  { db, audit }: AliasDeps,
  { alias, ...key }: SupplierKey & { readonly alias: string },
  { actor, ip }: Caller,
): Promise<SupplierAlias> {
  checkMayOpen(key, actor)
  return transaction(db, async (tx) => {
    const before = await findGateway(tx, key)
    const after = await writeAlias(tx, key, alias === '' ? null : alias)
    if (after === undefined)
      throw new Refusal(
        'not_found',
        'There is no such supplier. It may have another name now; reload the page.',
      )
    if (before?.chosen !== after.chosen)
      await audit.record(tx, {
        actor,
        ip,
        action: 'supplier.alias',
        objectType: 'supplier',
        objectId: String(after.id),
        before: { ...key, alias: before?.chosen ?? null },
        after: { ...key, alias: after.chosen },
      })
    return toReply(after)
  })
}

function checkMayOpen({ source }: SupplierKey, { role }: Actor): void {
  if (source === 'provider' && !isPermitted(role, 'httpProviders'))
    throw new Refusal('forbidden', 'Only admins may open providers.')
}

const toReply = (found: GatewayRow | undefined): SupplierAlias => ({
  chosen: found?.chosen ?? '',
  shown: found?.shown ?? '',
})

function findGateway(db: Db, { source, name }: SupplierKey): Promise<GatewayRow | undefined> {
  return row<GatewayRow>(
    db,
    sql`select id, chosen_alias as chosen, alias as shown from gateways
        where source = ${recordSources.indexOf(source)} and name = ${name}`,
  )
}

/** Undefined when nothing has that name. The first message uses the row that this creates. */
function writeAlias(
  tx: Db,
  { source, name }: SupplierKey,
  alias: string | null,
): Promise<GatewayRow | undefined> {
  return row<GatewayRow>(
    tx,
    sql`insert into gateways (source, name, user_id, chosen_alias)
        select source, name, user_id, ${alias}::text from (
          select source, name, user_id from gateways
          union all select 0, system_id, user_id from smpp_credentials
          union all select 1, name, null from smpp_connections
          union all select 2, name, null from providers where deleted_at is null
        ) known where source = ${recordSources.indexOf(source)} and name = ${name} limit 1
        on conflict (source, name) do update set chosen_alias = excluded.chosen_alias
        returning id, chosen_alias as chosen, alias as shown`,
  )
}
