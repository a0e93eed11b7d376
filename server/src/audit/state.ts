// The state of the check of the chain: how far it came, when it last finished a round, what it found. An HMAC protects
// it, so that nobody can write into it that nothing was found.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Db } from '../platform/db.ts'
import { beginning, type Break, type ChainPosition } from './check.ts'
import { lockState, readState, writeState, type StateRow } from './head-store.ts'
import type { AuditKeys } from './keys.ts'

export interface FoundBreak extends Break {
  /** ISO 8601. */
  readonly foundAt: string
}

export interface ChainCheckState {
  /** Up to here every entry was checked once. */
  readonly tail: ChainPosition
  /** Up to here the current round over the whole log has come. */
  readonly round: ChainPosition
  readonly checkedAt: string | undefined
  /** When the last round over the whole log ended. */
  readonly roundEndedAt: string | undefined
  /** The break that was found and not acknowledged yet. */
  readonly broken: FoundBreak | undefined
  /** Acknowledged breaks as `id kind`: each round finds them again, and they raise no alarm. */
  readonly acknowledged: readonly string[]
}

const noState: ChainCheckState = {
  tail: beginning,
  round: beginning,
  checkedAt: undefined,
  roundEndedAt: undefined,
  broken: undefined,
  acknowledged: [],
}

/** The state, and whether the stored one was written by somebody else: then it is ignored. */
export async function loadState(
  db: Db,
  keys: AuditKeys,
  isLocked = false,
): Promise<{ state: ChainCheckState; isForged: boolean }> {
  const stored = await (isLocked ? lockState(db) : readState(db))
  if (stored === undefined) return { state: noState, isForged: false }
  const key = await keys.find(db, stored.key_id)
  if (key === undefined || !isAuthentic(key, stored)) return { state: noState, isForged: true }
  return { state: JSON.parse(stored.state, revive) as ChainCheckState, isForged: false }
}

export async function saveState(tx: Db, keys: AuditKeys, state: ChainCheckState): Promise<void> {
  const { id, key } = await keys.current(tx)
  const text = JSON.stringify(state, (name, value: unknown) =>
    name === 'hash' ? Buffer.from((value as { data: number[] }).data).toString('hex') : value,
  )
  await writeState(tx, text, id, hmacOf(key, text))
}

function revive(name: string, value: unknown): unknown {
  return name === 'hash' ? Buffer.from(String(value), 'hex') : value
}

function hmacOf(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update('check\0').update(text).digest()
}

function isAuthentic(key: Buffer, { state, hmac }: StateRow): boolean {
  const expected = hmacOf(key, state)
  return hmac.length === expected.length && timingSafeEqual(hmac, expected)
}
