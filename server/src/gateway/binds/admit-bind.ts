// Decides about a bind: password, account, address, and the account's limit of binds over all nodes.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressKey } from '@tollgate/smpp/net/unbound-sockets.ts'
import type { BindDecision, BindRequest } from '@tollgate/smpp/session/session-types.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import type { BindRefusalReason } from '@tollgate/contract/vocabulary.ts'
import { FairQueue } from '../../platform/load/fair-queue.ts'
import type { SmppAccount } from '../../users/index.ts'
import { bindFailures } from '../metrics.ts'
import type { LostAnswers } from '../lost-answers/lost-answers.ts'
import type { PeerRef } from '../lost-answers/store.ts'
import { AnswerTracker } from '../lost-answers/answer-tracker.ts'
import type { MessageStore, SmppAccounts } from '../deps.ts'
import { isAllowedAddress } from './allowed-address.ts'
import type { Bind } from './bind.ts'
import { BindClaims, type BindClaimDeps } from './claim-binds.ts'
import { inTime } from './in-time.ts'
import { idStyleOf, sessionProfileOf } from './treatment.ts'
import type { BindThrottle } from './bind-throttle.ts'
import type { KnownOrigins } from './known-origins.ts'
import { CoalescedReads } from './coalesced-reads.ts'
import type { LiveBinds } from './live-binds.ts'
import type { RefusedBinds } from './refused-binds.ts'

interface AdmissionDeps extends BindClaimDeps {
  readonly accounts: SmppAccounts
  readonly messages: MessageStore
  readonly lost: Pick<LostAnswers, 'load' | 'note' | 'noteRecord' | 'doubt'>
  readonly throttle: BindThrottle
  readonly origins: Pick<KnownOrigins, 'has' | 'add'>
  readonly live: LiveBinds
  readonly refused: Pick<RefusedBinds, 'add'>
}

/** Our system_id in bind responses. */
const ownSystemId = 'Tollgate'
// How long the refusal of a crowded origin waits. The password was not checked, so a correct one waits no longer.
const crowdedDelayMs = 2_000
const crowdedWaitersMax = 1_000
/** Unanswered attempts of one origin, and of all together. One counts until its answer, even if its peer has gone. */
export const attemptLimits = { runningMaxOfKey: 500, runningMax: 5_000 }

/** `gone`: the peer left before the decision. */
type BindRefusal = BindRefusalReason | 'gone'

// 0x0D: the password was correct, but the account's state or a limit forbids the bind. 0x0E does not tell whether the
// system_id or the password was wrong.
export const refusalStatuses: Readonly<Record<BindRefusal, number>> = {
  wrong_credentials: commandStatus.ESME_RINVPASWD,
  account_not_active: commandStatus.ESME_RBINDFAIL,
  no_access: commandStatus.ESME_RBINDFAIL,
  address_not_allowed: commandStatus.ESME_RBINDFAIL,
  tls_required: commandStatus.ESME_RBINDFAIL,
  too_many_binds: commandStatus.ESME_RBINDFAIL,
  unavailable: commandStatus.ESME_RSYSERR,
  // Too many attempts from this address wait already: the password was not checked.
  crowded: commandStatus.ESME_RTHROTTLED,
  gone: commandStatus.ESME_RBINDFAIL,
}

export class Admission {
  readonly #deps: AdmissionDeps
  readonly #reads = new CoalescedReads()
  readonly #claims: BindClaims
  readonly #attempts = new FairQueue(attemptLimits)
  readonly #crowded = new FairQueue({ runningMax: crowdedWaitersMax })

  constructor(deps: AdmissionDeps) {
    this.#deps = deps
    this.#claims = new BindClaims(deps)
  }

  /** Decides about a bind; never rejects. When it accepts, the bind's row is committed and counts until its release. */
  async judge(session: Session<Bind>, request: BindRequest): Promise<BindDecision<Bind>> {
    const { log } = this.#deps
    try {
      const result = await this.#judge(session, request)
      if (typeof result !== 'string') {
        const { budget } = result.limit
        return {
          accept: true,
          account: result,
          systemId: ownSystemId,
          limits: { windowMax: result.windowMax },
          profile: sessionProfileOf(result.treatment, request.interfaceVersion),
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

  async #judge(session: Session<Bind>, request: BindRequest): Promise<Bind | BindRefusal> {
    const { origins } = this.#deps
    const { systemId } = request
    const address = addressKey(session.remoteAddress)
    // An account that is known at this address has a queue of its own: guesses from there cannot fill it.
    const attemptKey = origins.has(systemId, address) ? `${systemId} ${address}` : address
    // Beyond the limits the password is not checked.
    const leave = this.#attempts.tryEnter(attemptKey)
    if (leave === undefined) {
      await this.#waitCrowded()
      return 'crowded'
    }
    try {
      return await this.#judgeAt(address, session, request)
    } finally {
      leave()
    }
  }

  async #judgeAt(address: string, session: Session<Bind>, request: BindRequest): Promise<Bind | BindRefusal> {
    const { accounts, throttle, origins } = this.#deps
    const { systemId } = request
    const account = await this.#read(`account ${systemId}`, () => accounts.findSmppAccount(systemId))
    // An unknown account and a wrong password cost one query each, so the time of the answer does not tell them apart.
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
    return this.#claim(session, request, account)
  }

  async #claim(
    session: Session<Bind>,
    request: BindRequest,
    account: SmppAccount,
  ): Promise<Bind | BindRefusal> {
    const { live, messages, lost } = this.#deps
    const { systemId } = request
    const peer: PeerRef = { kind: 'account', id: account.userId }
    const bind: Bind = {
      id: randomUUID(),
      userId: account.userId,
      username: account.username,
      systemId,
      mode: request.mode,
      gatewayId: await this.#read(`gateway ${systemId}`, () =>
        messages.gatewayId('smpp', systemId, account.userId),
      ),
      passwordSetAt: account.passwordSetAt,
      isTls: session.isSecure,
      remoteAddress: session.remoteAddress,
      interfaceVersion: versionName(
        sessionProfileOf(account.session, request.interfaceVersion).interfaceVersion,
      ),
      namedVersion: request.interfaceVersion,
      treatment: account.session,
      idStyle: idStyleOf(account.session, request.interfaceVersion),
      boundAtMs: Date.now(),
      windowMax: account.window,
      session,
      limit: live.limitOf(account.userId, account.throughput),
      receivedCount: 0,
      peer,
      answerTracker: new AnswerTracker(lost, peer),
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

  /** Delays the refusal: an immediate one would only bring the next attempt sooner. The number of waiters is bounded. */
  async #waitCrowded(): Promise<void> {
    const leave = this.#crowded.tryEnter()
    if (leave !== undefined) await sleep(crowdedDelayMs, undefined, { ref: false }).finally(leave)
  }

  #read<T>(key: string, read: () => Promise<T>): Promise<T> {
    return inTime(this.#reads.get(key, read), () => undefined)
  }

  #refuse(session: Session<Bind>, reason: BindRefusal): BindDecision<Bind> {
    const { log, refused } = this.#deps
    bindFailures.inc({ reason })
    refused.add({ reason, systemId: session.systemId, address: session.remoteAddress })
    log.info(
      { sessionId: session.id, systemId: session.systemId, ip: session.remoteAddress, reason },
      'bind refused',
    )
    return { accept: false, status: refusalStatuses[reason] }
  }
}

function refusalOf(account: SmppAccount, session: Session<Bind>): BindRefusal | undefined {
  if (account.status !== 'active') return 'account_not_active'
  if (!account.smppAccess) return 'no_access'
  if (account.tlsOnly && !session.isSecure) return 'tls_required'
  return isAllowedAddress(account.allowedCidrs, session.remoteAddress) ? undefined : 'address_not_allowed'
}

/** 0x34 → "3.4". SMPP 3.4 §5.2.4: every value up to 0x33 means version 3.3 or older. */
function versionName(version: number): string {
  if (version < 0x33) return '3.3'
  return `${version >> 4}.${version & 0x0f}`
}
