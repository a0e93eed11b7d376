// All advisory locks of the program. A lock is taken by its name, so that no two purposes share a key.
import { sql } from 'kysely'
import { row, type Db } from '../db.ts'

/**
 * Every key with its purpose. A lock `ofEach` is taken for one item, such as a user: different items do not wait for each
 * other. PostgreSQL keeps locks with and without an item apart. Keys must not change while nodes of two versions run.
 */
export const locks = {
  migrations: { key: 7000, purpose: 'Nodes that start together migrate one after the other.' },
  trafficGate: {
    key: 7001,
    purpose:
      'Batches of messages (shared) and changes of what they are priced with (exclusive). See traffic-gate.ts.',
  },
  binds: {
    key: 7002,
    ofEach: 'user',
    purpose: 'Binds of one account on all nodes count against its limit together.',
  },
  receipts: {
    key: 7003,
    ofEach: 'peer',
    purpose: 'Of an answer and its receipt that are stored at the same time, the second sees the first.',
  },
  lineSums: { key: 7004, purpose: 'One node at a time adds batches to the sums that bills are made of.' },
  searchIndex: { key: 7005, purpose: 'One node at a time builds the blocks of the record search.' },
  paymentHash: {
    key: 7006,
    ofEach: 'transaction hash',
    purpose: 'Two checks of payments with the same transaction do not both use its transfers.',
  },
  fold: { key: 7007, purpose: 'One node at a time folds counter buffers into the counters.' },
  systemIds: { key: 7008, purpose: 'Two users cannot get the same system_id at once.' },
  secondFactor: {
    key: 7009,
    ofEach: 'user',
    purpose: 'Codes that are sent at the same time are all counted as tries.',
  },
  settings: {
    key: 7010,
    purpose: 'Changes of settings take turns, so that the audit log has the value before each.',
  },
  usernames: { key: 7011, purpose: 'Of two names that look alike, chosen at once, only one passes.' },
  rates: {
    key: 7012,
    ofEach: 'act and subject',
    purpose: 'Sign-ups of one network at once, or tests of one person, count against its limit together.',
  },
  roles: {
    key: 7013,
    purpose: 'Two admins who demote each other at once do not leave the system without an admin.',
  },
  auditKeys: { key: 7014, purpose: 'Nodes that start together make one key of the audit log.' },
  secretKeyRotation: {
    key: 7015,
    purpose: 'Rotations of SECRET_KEY take turns: at once, each would end the key of the other.',
  },
  moneyActs: {
    key: 7016,
    ofEach: 'user',
    purpose: "Acts on money of one person at once count against the person's limit together.",
  },
  longMessages: {
    key: 7020,
    purpose: 'One node at a time joins segments into long messages, so that each ends once.',
  },
  invoiceNumbers: {
    key: 7021,
    purpose: 'One node at a time gives numbers to invoices, in the order of time.',
  },
  numberDays: { key: 7043, purpose: 'One node at a time counts records by day and number.' },
  senderDays: { key: 7044, purpose: 'One node at a time counts senders by day, number and client.' },
  applyCases: { key: 7045, purpose: 'One node at a time holds the messages of a case.' },
  alerts: { key: 7030, purpose: 'Of two nodes that compare rules with alerts, one tells people.' },
  legalEntities: { key: 7022, purpose: 'Of two saves of one legal entity at once, the second is stale.' },
} as const satisfies Record<string, { key: number; ofEach?: string; purpose: string }>

type LockName = keyof typeof locks
type ItemLockName = { [K in LockName]: (typeof locks)[K] extends { ofEach: string } ? K : never }[LockName]
export type SingleLockName = Exclude<LockName, ItemLockName>

/** Waits for the lock and keeps it until the transaction ends. */
export async function lock(tx: Db, name: SingleLockName): Promise<void> {
  await sql`select pg_advisory_xact_lock(${locks[name].key}::bigint)`.execute(tx)
}

/** As {@link lock}, for one item: a whole number of 32 bits, or a text of which a hash counts. */
export async function lockItem(tx: Db, name: ItemLockName, item: number | string): Promise<void> {
  const key = typeof item === 'number' ? sql`${item}::int` : sql`hashtext(${item})`
  await sql`select pg_advisory_xact_lock(${locks[name].key}::int, ${key})`.execute(tx)
}

/** Takes the lock until the transaction ends; false when another transaction has it. */
export async function tryLock(tx: Db, name: SingleLockName): Promise<boolean> {
  const found = await row<{ isLocked: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock(${locks[name].key}::bigint) as "isLocked"`,
  )
  return found?.isLocked === true
}

/** The SQL that takes a lock until the connection is closed, for code that has a client of pg instead of a handle. */
export const sessionLockSql = (name: SingleLockName): string => `select pg_advisory_lock(${locks[name].key})`

/** The SQL that gives such a lock back. */
export const sessionUnlockSql = (name: SingleLockName): string =>
  `select pg_advisory_unlock(${locks[name].key})`

/** As {@link sessionLockSql}, without waiting; the answer is in the column `is_locked`. */
export const trySessionLockSql = (name: SingleLockName): string =>
  `select pg_try_advisory_lock(${locks[name].key}) as is_locked`
