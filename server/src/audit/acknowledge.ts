import { Refusal } from '@tollgate/contract/errors.ts'
import type { Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import type { AuditKeys } from './keys.ts'
import type { AuditActor, AuditRecord } from './service.ts'
import { loadState, saveState } from './state.ts'

export interface Acknowledgement {
  readonly brokenId: string
  readonly reason: string
  readonly actor: AuditActor
  readonly ip: string
}

/** Ends the alarm over a break. The break stays in the log, with who acknowledged it and why. */
export async function acknowledge(
  db: Db,
  keys: AuditKeys,
  record: (tx: Db, entry: AuditRecord) => Promise<void>,
  { brokenId, reason, actor, ip }: Acknowledgement,
): Promise<void> {
  await transaction(db, async (tx) => {
    const { state } = await loadState(tx, keys, true)
    const { broken } = state
    if (broken?.id !== brokenId)
      throw new Refusal('stale', 'This is not what the check has found now. Look at the page again.')
    const acknowledged = [...state.acknowledged, `${broken.id} ${broken.kind}`]
    await saveState(tx, keys, { ...state, broken: undefined, acknowledged })
    await record(tx, {
      actor,
      ip,
      action: 'audit.acknowledge',
      objectType: 'audit_entry',
      objectId: brokenId,
      after: { kind: broken.kind, foundAt: broken.foundAt, reason },
    })
  })
}
