// Changes of settings that guard money. Each needs a second admin, and begins after a wait that everybody can see and
// cancel. Where there is only one admin, the wait is longer instead (decision 58).
import { Counter, Gauge } from 'prom-client'
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { SettingChangeAction } from '@tollgate/contract/vocabulary.ts'
import { systemActor, type Audit, type AuditActor } from '../audit/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { registry } from '../platform/metrics.ts'
import { afterCommit, transaction } from '../platform/transaction.ts'
import { mailChange, type MailParts } from './change-mails.ts'
import {
  approveChange,
  endChange,
  findPendingChange,
  insertChange,
  pendingChanges,
  type ChangeRow,
} from './change-store.ts'
import { lockSettings } from './store.ts'

const waiting = new Gauge({
  name: 'tollgate_setting_changes_waiting',
  help: 'Changes of settings that guard money and wait for a second admin or for their time.',
  registers: [registry],
})
waiting.set(0)
const begunAlone = new Counter({
  name: 'tollgate_setting_changes_begun_alone_total',
  help: 'Changes of settings that guard money which began without a second admin, because there was none.',
  registers: [registry],
})

/** A change that waits, as screens show it. */
export interface PendingChange {
  readonly value: string
  readonly requestedBy: string
  readonly requestedAt: Date
  /** Empty until somebody has approved it. */
  readonly approvedBy: string
  /** The earliest time. */
  readonly beginsAt: Date
  /** Whether it begins without approval, because there is no second admin. */
  readonly isAlone: boolean
}

/** Who changes a setting, and from which address. */
export interface SettingPerson {
  readonly actor: AuditActor
  readonly ip: string
}

/** Who brought a value into force; null where it took nobody. */
export interface BegunBy {
  readonly requestedBy: number | null
  readonly approvedBy: number | null
}

interface RequestedChange {
  readonly key: string
  /** The value in force. */
  readonly before: string
  readonly value: string
}

/** The caller has locked the settings, except for {@link Changes.list} and {@link Changes.beginDue}. */
export interface Changes {
  list(db: Db): Promise<ReadonlyMap<string, PendingChange>>
  requestOrApprove(tx: Db, requested: RequestedChange, by: SettingPerson): Promise<void>
  decide(tx: Db, key: string, action: SettingChangeAction, by: SettingPerson): Promise<void>
  cancelWaiting(tx: Db, key: string, by: SettingPerson): Promise<void>
  beginDue(db: Db): Promise<void>
}

export interface ChangeParts extends MailParts {
  readonly audit: Pick<Audit, 'record'>
  readonly clock: Clock
  /** The setting `setting_wait_hours`. */
  readonly waitHours: (tx: Db) => Promise<number>
  /** The text in force of a setting. */
  readonly valueOf: (tx: Db, key: string) => Promise<string>
  /** Sets the text that has begun, and tells its slice. */
  readonly write: (tx: Db, key: string, value: string, by: BegunBy) => Promise<void>
  /** What an audit entry about the key is about. */
  readonly objectOf: (key: string) => AuditObject
}

interface AuditObject {
  readonly objectType: string
  readonly objectId: string
}

const hourMs = 3_600_000
// Without a second admin nobody else can object, so mails and metrics need the time to reach somebody.
const aloneHoursMin = 72

/** Handles the changes of all settings that guard money. */
export function createChanges(parts: ChangeParts): Changes {
  const { clock, valueOf } = parts

  async function request(tx: Db, { key, before, value }: RequestedChange, by: SettingPerson): Promise<void> {
    const [hours, requestedAt] = [await parts.waitHours(tx), clock.now()]
    const after = (delayHours: number) => new Date(requestedAt.getTime() + delayHours * hourMs)
    await insertChange(tx, {
      key,
      value,
      requested_by: personOf(by),
      requested_at: requestedAt,
      begins_at: after(hours),
      begins_alone_at: after(Math.max(aloneHoursMin, 3 * hours)),
    })
    const change = await findPendingChange(tx, key)
    if (change === undefined) throw new Error('The new change did not come back')
    await record(tx, parts, 'setting.request_change', change, by, before)
    await mailChange(tx, parts, 'requested', change, before)
  }

  async function approve(tx: Db, change: ChangeRow, by: SettingPerson): Promise<void> {
    if (change.requested_by === personOf(by))
      throw new Refusal('wrong_state', 'You asked for this change. A second admin must approve it.')
    if (change.approved_by !== null)
      throw new Refusal('wrong_state', 'This change is approved already. It takes effect automatically.')
    await approveChange(tx, change.id, personOf(by), clock.now())
    const approved = { ...change, approved_by: personOf(by), approver: by.actor.username }
    const before = await valueOf(tx, change.key)
    await record(tx, parts, 'setting.approve_change', approved, by, before)
    await mailChange(tx, parts, 'approved', approved, before)
    if (change.begins_at <= clock.now()) await begin(tx, parts, approved)
  }

  async function cancel(tx: Db, change: ChangeRow, by: SettingPerson): Promise<void> {
    await endChange(tx, change.id, 'cancelled', by.actor.userId, clock.now())
    const before = await valueOf(tx, change.key)
    await record(tx, parts, 'setting.cancel_change', change, by, before)
    await mailChange(tx, parts, 'cancelled', change, before)
  }

  return {
    async list(db) {
      return new Map((await pendingChanges(db)).map((change) => [change.key, toPending(change)]))
    },
    async requestOrApprove(tx, requested, by) {
      const change = await findPendingChange(tx, requested.key)
      if (change === undefined) return request(tx, requested, by)
      if (change.value !== requested.value)
        throw new Refusal(
          'wrong_state',
          change.value === ''
            ? 'Another change of this setting waits, to an empty value. Cancel it first.'
            : sentence('Another change of this setting waits, to {newValue}. Cancel it first.', {
                newValue: change.value,
              }),
        )
      return approve(tx, change, by)
    },
    async decide(tx, key, action, by) {
      const change = await findPendingChange(tx, key)
      if (change === undefined) throw new Refusal('wrong_state', 'No change of this setting waits.')
      await (action === 'approve' ? approve : cancel)(tx, change, by)
    },
    async cancelWaiting(tx, key, by) {
      const change = await findPendingChange(tx, key)
      if (change !== undefined) await cancel(tx, change, by)
    },
    beginDue: (db) => beginDue(db, parts, cancel),
  }
}

/** Begins the changes whose time has come, and cancels those whose requester is no admin any more. */
async function beginDue(
  db: Db,
  parts: ChangeParts,
  cancel: (tx: Db, change: ChangeRow, by: SettingPerson) => Promise<void>,
): Promise<void> {
  const found = await pendingChanges(db)
  waiting.set(found.length)
  for (const { key } of found)
    await transaction(db, async (tx) => {
      await lockSettings(tx)
      const change = await findPendingChange(tx, key)
      if (change === undefined) return
      if (!change.is_requester_admin) await cancel(tx, change, { actor: systemActor, ip: '' })
      else if (isDue(change, parts.clock.now())) await begin(tx, parts, change)
    })
}

function isDue(change: ChangeRow, now: Date): boolean {
  if (change.approved_by !== null) return change.begins_at <= now
  return !change.has_second_admin && change.begins_alone_at <= now
}

/** Sets the value. It has passed its schema when it was asked for. */
async function begin(tx: Db, parts: ChangeParts, change: ChangeRow): Promise<void> {
  const before = await parts.valueOf(tx, change.key)
  if (!(await endChange(tx, change.id, 'begun', null, parts.clock.now()))) return
  await parts.write(tx, change.key, change.value, {
    requestedBy: change.requested_by,
    approvedBy: change.approved_by,
  })
  await record(tx, parts, 'setting.change', change, { actor: systemActor, ip: '' }, before)
  await mailChange(tx, parts, 'begun', change, before)
  if (change.approved_by === null) afterCommit(tx, () => begunAlone.inc())
}

const toPending = (change: ChangeRow): PendingChange => {
  const isAlone = change.approved_by === null && !change.has_second_admin
  return {
    value: change.value,
    requestedBy: change.requester,
    requestedAt: change.requested_at,
    approvedBy: change.approver ?? '',
    beginsAt: isAlone ? change.begins_alone_at : change.begins_at,
    isAlone,
  }
}

/** Settings are changed by people: what nobody asks for, nobody can be the second person of. */
function personOf({ actor }: SettingPerson): number {
  if (actor.userId === null) throw new Error('Only a person changes a setting that guards money')
  return actor.userId
}

async function record(
  tx: Db,
  { audit, objectOf }: ChangeParts,
  action: string,
  change: ChangeRow,
  { actor, ip }: SettingPerson,
  before: string,
): Promise<void> {
  await audit.record(tx, {
    actor,
    ip,
    action,
    ...objectOf(change.key),
    before: { value: before },
    after: {
      value: change.value,
      requestedBy: change.requester,
      approvedBy: change.approver ?? '',
      beginsAt: change.begins_at.toISOString(),
    },
  })
}
