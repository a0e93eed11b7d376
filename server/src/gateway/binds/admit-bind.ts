// Judges a bind: password, account, address, and room under the account's limit over all nodes.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressKey } from '@tollgate/smpp/net/unbound-sockets.ts'
import type { BindDecision, BindRequest } from '@tollgate/smpp/session/handlers.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import type { SmppAccount } from '../../users/index.ts'
import { bindFailures } from '../metrics.ts'
import type { Deliveries } from '../deliver/create-deliveries.ts'
import type { LostAnswers } from '../lost-answers/lost-answers.ts'
import type { Sender } from '../lost-answers/store.ts'
import { Told } from '../lost-answers/answer-tracker.ts'
import type { MessageStore, SmppAccounts } from '../deps.ts'
import { isAllowedAddress } from './allowed-address.ts'
import type { Bind } from './bind.ts'
import { BindClaims } from './claim-binds.ts'
import { inTime } from './in-time.ts'
import type { BindThrottle } from './bind-throttle.ts'
import type { KnownOrigins } from './known-origins.ts'
import { LookUps } from './coalesced-reads.ts'
import type { LiveBinds } from './live-binds.ts'

export interface AdmissionParts {
  readonly db: Db
  readonly nodeId: string
  readonly accounts: SmppAccounts
  readonly messages: MessageStore
  readonly deliveries: Pick<Deliveries, 'admit'>
  readonly lost: Pick<LostAnswers, 'load' | 'note' | 'doubt'>
  readonly throttle: BindThrottle
  readonly origins: Pick<KnownOrigins, 'has' | 'add'>
  readonly live: LiveBinds
  readonly log: Logger
}

/** What we call ourselves in bind responses. */
const ownSystemId = 'Tollgate'
// A right password among them may have been refused unseen; it waits no longer than any other.
const crowdedMs = 2_000
const crowdedMax = 1_000

type Refusal = keyof typeof refusalStatuses

// All of 0x0D are limits and states of an account whose password was right; 0x0E does not say which part was wrong.
const refusalStatuses = {
  wrong_credentials: commandStatus.ESME_RINVPASWD,
  account_not_active: commandStatus.ESME_RBINDFAIL,
  no_access: commandStatus.ESME_RBINDFAIL,
  address_not_allowed: commandStatus.ESME_RBINDFAIL,
  tls_required: commandStatus.ESME_RBINDFAIL,
  too_many_binds: commandStatus.ESME_RBINDFAIL,
  unavailable: commandStatus.ESME_RSYSERR,
  // Too many attempts of that address wait already: nothing was looked at.
  crowded: commandStatus.ESME_RTHROTTLED,
  gone: commandStatus.ESME_RBINDFAIL,
} as const

export class Admission {
  readonly #parts: AdmissionParts
  readonly #lookUps = new LookUps()
  readonly #claims: BindClaims
  #crowdedCount = 0

  constructor(parts: AdmissionParts) {
    this.#parts = parts
    this.#claims = new BindClaims(parts)
  }

  /** Judges a bind; never rejects. Where it accepts, the bind's row is committed and counts until it is released. */
  async judge(session: Session<Bind>, request: BindRequest): Promise<BindDecision<Bind>> {
    const { log } = this.#parts
    try {
      const result = await this.#judge(session, request)
      if (typeof result !== 'string') {
        const { budget } = result.limit
        return {
          accept: true,
          account: result,
          systemId: ownSystemId,
          limits: { windowMax: result.windowMax },
          budget,
        }
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
    const { throttle, origins } = this.#parts
    const { systemId } = request
    const address = addressKey(session.remoteAddress)
    // Whoever guesses from the same address must not take the places of an account that is known there.
    const place = origins.has(systemId, address) ? `${systemId} ${address}` : address
    if (!throttle.enter(place)) {
      await this.#waitCrowded()
      return 'crowded'
    }
    try {
      return await this.#judgeAt(address, session, request)
    } finally {
      throttle.leave(place)
    }
  }

  async #judgeAt(address: string, session: Session<Bind>, request: BindRequest): Promise<Bind | Refusal> {
    const { accounts, throttle, origins } = this.#parts
    const { systemId } = request
    const account = await this.#look(`account ${systemId}`, () => accounts.findSmppAccount(systemId))
    // Both refusals cost one look at the database; opening a sealed password takes microseconds.
    if (account?.verify(request.password) !== true) {
      await sleep(throttle.failed(address, systemId), undefined, { ref: false })
      return 'wrong_credentials'
    }
    if (!origins.has(systemId, address)) {
      const waitMs = throttle.passed(address, systemId)
      if (waitMs > 0) await sleep(waitMs, undefined, { ref: false })
    }
    origins.add(account.userId, systemId, address)
    const refusal = refusalOf(account, session)
    if (refusal !== undefined) return refusal
    if (session.state !== 'binding') return 'gone'
    return this.#take(session, request, account)
  }

  async #take(session: Session<Bind>, request: BindRequest, account: SmppAccount): Promise<Bind | Refusal> {
    const { live, messages, lost } = this.#parts
    const { systemId } = request
    const sender: Sender = { kind: 'account', id: account.userId }
    const bind: Bind = {
      id: randomUUID(),
      userId: account.userId,
      username: account.username,
      systemId,
      mode: request.mode,
      gatewayId: await this.#look(`gateway ${systemId}`, () =>
        messages.gatewayId('smpp', systemId, account.userId),
      ),
      passwordSetAt: account.passwordSetAt,
      isTls: session.isSecure,
      remoteAddress: session.remoteAddress,
      interfaceVersion: versionName(request.interfaceVersion),
      boundAtMs: Date.now(),
      windowMax: account.window,
      session,
      limit: live.limitOf(account.userId, account.throughput),
      receivedCount: 0,
      sender,
      told: new Told(lost, sender),
    }
    live.reserve(bind)
    try {
      if (await this.#claims.claim(bind, account.maxConnections)) return bind
    } catch (error) {
      live.release(bind)
      throw error
    }
    live.release(bind)
    return session.state === 'binding' ? 'too_many_binds' : 'gone'
  }

  /** Told at once, whoever has many sockets would only come back sooner; but more must not wait than memory holds. */
  async #waitCrowded(): Promise<void> {
    if (this.#crowdedCount >= crowdedMax) return
    this.#crowdedCount += 1
    await sleep(crowdedMs, undefined, { ref: false })
    this.#crowdedCount -= 1
  }

  #look<T>(key: string, read: () => Promise<T>): Promise<T> {
    return inTime(this.#lookUps.get(key, read), () => undefined)
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

function refusalOf(account: SmppAccount, session: Session<Bind>): Refusal | undefined {
  if (account.status !== 'active') return 'account_not_active'
  if (!account.smppAccess) return 'no_access'
  if (account.tlsOnly && !session.isSecure) return 'tls_required'
  return isAllowedAddress(account.allowedCidrs, session.remoteAddress) ? undefined : 'address_not_allowed'
}

/** 0x33 → "3.3". SMPP 3.4 §5.2.4 calls everything up to 0x33 the older version. */
function versionName(version: number): string {
  if (version < 0x33) return '3.3'
  return `${version >> 4}.${version & 0x0f}`
}
