// Judges a bind: password, account, address, and room under the account's limit over all nodes.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressKey } from '@tollgate/smpp/net/unbound-sockets.ts'
import type { BindDecision, BindRequest } from '@tollgate/smpp/session/handlers.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { transaction } from '../../platform/transaction.ts'
import type { SmppAccount } from '../../users/index.ts'
import { bindFailures } from '../metrics.ts'
import type { Deliveries } from '../deliver/create-deliveries.ts'
import type { LostAnswers } from '../inbound/lost-answers.ts'
import type { Sender } from '../inbound/lost-store.ts'
import { Told } from '../inbound/told.ts'
import type { MessageStore, SmppAccounts } from '../needs.ts'
import { isAllowedAddress } from './allowed-address.ts'
import type { Bind } from './bind.ts'
import type { BindThrottle } from './bind-throttle.ts'
import type { LiveBinds } from './live-binds.ts'
import { insertWithin, remove } from './store.ts'

export interface AdmissionParts {
  readonly db: Db
  readonly nodeId: string
  readonly accounts: SmppAccounts
  readonly messages: MessageStore
  readonly deliveries: Pick<Deliveries, 'admit'>
  readonly lost: Pick<LostAnswers, 'load' | 'note' | 'doubt'>
  readonly throttle: BindThrottle
  readonly live: LiveBinds
  readonly log: Logger
}

/** What we call ourselves in bind responses. */
const ownSystemId = 'Tollgate'
/** Conformance defaults: messages of one session that may be unanswered. */
export const windowMax = 50
// operations.md: what needs the database and does not get it in so long is answered with an error.
const databaseMs = 2_000

type Refusal = keyof typeof refusalStatuses

// All of 0x0D are limits and states of an account whose password was right; 0x0E does not say which part was wrong.
const refusalStatuses = {
  wrong_credentials: commandStatus.ESME_RINVPASWD,
  account_not_active: commandStatus.ESME_RBINDFAIL,
  no_access: commandStatus.ESME_RBINDFAIL,
  address_not_allowed: commandStatus.ESME_RBINDFAIL,
  too_many_binds: commandStatus.ESME_RBINDFAIL,
  unavailable: commandStatus.ESME_RSYSERR,
  gone: commandStatus.ESME_RBINDFAIL,
} as const

export class Admission {
  readonly #parts: AdmissionParts
  /** Per account the end of the line: binds at once of one account must not hold a connection each. */
  readonly #lines = new Map<number, Promise<unknown>>()

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /** Judges a bind; never rejects. Where it accepts, the bind's row is committed and counts until it is released. */
  async judge(session: Session<Bind>, request: BindRequest): Promise<BindDecision<Bind>> {
    const { log } = this.#parts
    try {
      const result = await this.#judge(session, request)
      if (typeof result !== 'string') {
        return { accept: true, account: result, systemId: ownSystemId, limits: { windowMax } }
      }
      return this.#refuse(session, result)
    } catch (error) {
      log.warn(
        { err: error, sessionId: session.id },
        'A bind could not be judged, since the database is away',
      )
      return this.#refuse(session, 'unavailable')
    }
  }

  async #judge(session: Session<Bind>, request: BindRequest): Promise<Bind | Refusal> {
    const { accounts, throttle } = this.#parts
    const { systemId } = request
    const address = addressKey(session.remoteAddress)
    const account = await inTime(accounts.findSmppAccount(systemId), () => undefined)
    // Both refusals cost one look at the database; opening a sealed password takes microseconds.
    const isRight = account?.verify(request.password) === true
    const waitMs = isRight ? throttle.passed(address, systemId) : throttle.failed(address, systemId)
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false })
    if (!isRight) return 'wrong_credentials'
    const refusal = refusalOf(account, session.remoteAddress)
    if (refusal !== undefined) return refusal
    if (session.state !== 'binding') return 'gone'
    return this.#inLine(account.userId, () => this.#take(session, request, account))
  }

  async #take(session: Session<Bind>, request: BindRequest, account: SmppAccount): Promise<Bind | Refusal> {
    const { live, messages, lost } = this.#parts
    if (session.state !== 'binding') return 'gone'
    const sender: Sender = { kind: 'account', id: account.userId }
    const bind: Bind = {
      id: randomUUID(),
      userId: account.userId,
      username: account.username,
      systemId: request.systemId,
      mode: request.mode,
      gatewayId: await inTime(messages.gatewayId('smpp', request.systemId, account.userId), () => undefined),
      passwordSetAt: account.passwordSetAt,
      isTls: session.isSecure,
      remoteAddress: session.remoteAddress,
      interfaceVersion: versionName(request.interfaceVersion),
      boundAtMs: Date.now(),
      session,
      limit: live.limitOf(account.userId, account.throughput),
      receivedCount: 0,
      sender,
      told: new Told(lost, sender),
    }
    live.reserve(bind)
    try {
      if (await this.#insert(bind, account.maxConnections)) return bind
    } catch (error) {
      live.release(bind)
      throw error
    }
    live.release(bind)
    return 'too_many_binds'
  }

  /** A row that is committed after we gave up waiting is taken back. */
  #insert(bind: Bind, maxConnections: number): Promise<boolean> {
    const { db, nodeId, deliveries, lost, log } = this.#parts
    const inserted = transaction(db, async (tx) => {
      const hasRoom = await insertWithin(tx, nodeId, rowOf(bind), maxConnections)
      if (hasRoom && bind.mode !== 'transmitter') await deliveries.admit(tx, bind.userId)
      if (hasRoom && bind.mode !== 'receiver') await lost.load(tx, bind.sender)
      return hasRoom
    })
    return inTime(inserted, () => {
      remove(db, [bind.id]).catch((error: unknown) =>
        log.warn({ err: error }, 'A late bind row is removed with the next look'),
      )
    })
  }

  async #inLine<T>(userId: number, work: () => Promise<T>): Promise<T> {
    const before = this.#lines.get(userId) ?? Promise.resolve()
    const own = before.then(work, work)
    const settled = own.catch(() => undefined)
    this.#lines.set(userId, settled)
    try {
      return await own
    } finally {
      if (this.#lines.get(userId) === settled) this.#lines.delete(userId)
    }
  }

  #refuse(session: Session<Bind>, reason: Refusal): BindDecision<Bind> {
    const { log } = this.#parts
    bindFailures.inc({ reason })
    log.info(
      { sessionId: session.id, systemId: session.systemId, ip: session.remoteAddress, reason },
      'bind refused',
    )
    return { accept: false, status: refusalStatuses[reason] }
  }
}

/** What the table keeps of a bind. */
export function rowOf(bind: Bind): Parameters<typeof insertWithin>[2] {
  return {
    id: bind.id,
    userId: bind.userId,
    systemId: bind.systemId,
    bindType: bind.mode,
    interfaceVersion: bind.interfaceVersion,
    remoteAddress: bind.remoteAddress,
    isTls: bind.isTls,
    windowMax,
  }
}

function refusalOf(account: SmppAccount, address: string): Refusal | undefined {
  if (account.status !== 'active') return 'account_not_active'
  if (!account.smppAccess) return 'no_access'
  return isAllowedAddress(account.allowedCidrs, address) ? undefined : 'address_not_allowed'
}

/** 0x33 → "3.3". SMPP 3.4 §5.2.4 calls everything up to 0x33 the older version. */
function versionName(version: number): string {
  if (version < 0x33) return '3.3'
  return `${version >> 4}.${version & 0x0f}`
}

/** Rejects when the database takes too long; what comes after all goes to `late`. */
async function inTime<T>(work: Promise<T>, late: () => void): Promise<T> {
  const timer = new AbortController()
  const overdue = sleep(databaseMs, undefined, { signal: timer.signal, ref: false }).then(
    () => 'overdue' as const,
    // The timer was taken back: the work came first.
    () => 'cancelled' as const,
  )
  try {
    const first = await Promise.race([work.then((value) => ({ value })), overdue])
    if (typeof first !== 'string') return first.value
  } finally {
    timer.abort()
  }
  work.then(late, () => undefined)
  throw new Error(`The database gave no answer within ${databaseMs} ms`)
}
