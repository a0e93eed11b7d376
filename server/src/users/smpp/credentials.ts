// The SMPP credentials of an account: system_id and password.
import { createHash, timingSafeEqual } from 'node:crypto'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import type { UserRow } from '../accounts/store.ts'
import { randomText } from '../random-text.ts'
import {
  findAccountBySystemId,
  findCredentials,
  lockSystemIds,
  writeCredentials,
  type CredentialsRow,
} from './store.ts'
import { treatmentOf, type SessionTreatment } from './treatment.ts'

// SMPP 3.4 §5.2.1 and §5.2.2: system_id has at most 15 characters, password at most 8.
const systemIdPattern = /^[A-Za-z0-9._@-]{1,15}$/
const passwordLength = 8

/** An account as the gateway needs it at a bind. Read it again after an account event. */
export interface SmppAccount {
  readonly userId: number
  readonly username: string
  readonly status: AccountStatus
  readonly smppAccess: boolean
  /** Binds at the same time on all nodes together: 1 to 100. */
  readonly maxConnections: number
  /** Messages a second; 0 means no limit. */
  readonly throughput: number
  /** Networks it may bind from; empty means any. */
  readonly allowedCidrs: readonly string[]
  /** Whether it may bind over TLS only. */
  readonly tlsOnly: boolean
  /** Unanswered messages that one session may have: 1 to 1,000. */
  readonly window: number
  /** How its sessions are treated. */
  readonly session: SessionTreatment
  /** When system_id or password last changed. */
  readonly passwordSetAt: Date
  /** Whether this is its password, in constant time. */
  verify(password: string): boolean
}

export interface SmppPair {
  readonly systemId: string
  readonly password: string
}

export interface SmppCredentials {
  /** Makes a pair unless the account has one. */
  ensure(tx: Db, user: Pick<UserRow, 'id' | 'username'>): Promise<void>
  /** Replaces the pair by a new one; a system_id that staff chose stays. */
  renew(tx: Db, user: Pick<UserRow, 'id' | 'username'>): Promise<SmppPair>
  /** The system_id; throws Refusal not_found when there is no pair. */
  systemIdOf(db: Db, userId: number): Promise<string>
  /** The pair; throws Refusal not_found when there is none. */
  reveal(db: Db, userId: number): Promise<SmppPair>
  find(db: Db, systemId: string): Promise<SmppAccount | undefined>
}

/** Builds the store of SMPP credentials. */
export function createSmppCredentials(secrets: Secrets): SmppCredentials {
  async function renew(tx: Db, user: Pick<UserRow, 'id' | 'username'>): Promise<SmppPair> {
    await lockSystemIds(tx)
    const password = randomText(passwordLength)
    const encrypted = secrets.encrypt(password, passwordContext(user.id))
    const before = await findCredentials(tx, user.id)
    const made = systemIdPattern.test(user.username) ? user.username : generatedSystemId()
    const preferred = before?.is_system_id_chosen === true ? before.system_id : made
    for (let systemId = preferred; ; systemId = generatedSystemId())
      if (await writeCredentials(tx, user.id, systemId, encrypted)) return { systemId, password }
  }
  return {
    renew,
    async ensure(tx, user) {
      if ((await findCredentials(tx, user.id)) === undefined) await renew(tx, user)
    },
    systemIdOf: async (db, userId) => (await credentialsOf(db, userId)).system_id,
    async reveal(db, userId) {
      const found = await credentialsOf(db, userId)
      const password = secrets.decrypt(found.encrypted_password, passwordContext(userId)).toString('utf8')
      return { systemId: found.system_id, password }
    },
    async find(db, systemId) {
      const found = await findAccountBySystemId(db, systemId)
      if (found === undefined) return undefined
      const context = passwordContext(found.user_id)
      return {
        userId: found.user_id,
        username: found.username,
        status: found.status,
        smppAccess: found.smpp_access,
        maxConnections: found.max_connections,
        throughput: found.throughput,
        allowedCidrs: found.allowed_cidrs,
        tlsOnly: found.smpp_tls_only,
        window: found.smpp_window,
        session: treatmentOf(found),
        passwordSetAt: found.password_set_at,
        verify: (password) =>
          timingSafeEqual(digest(password), digest(secrets.decrypt(found.encrypted_password, context))),
      }
    },
  }
}

async function credentialsOf(db: Db, userId: number): Promise<CredentialsRow> {
  const found = await findCredentials(db, userId)
  if (found === undefined) throw new Refusal('not_found', 'This account has no SMPP credentials.')
  return found
}

function generatedSystemId(): string {
  return `tg-${randomText(10)}`
}

function passwordContext(userId: number): string {
  return `smpp_credentials.encrypted_password:${userId}`
}

// timingSafeEqual needs inputs of equal length.
function digest(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest()
}
