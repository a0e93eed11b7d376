// Sends a test message. It takes the way of a message from a supplier, from pricing on, but is flagged as a test: ingest
// counts it as no SMS, so whatever follows has nothing to pay (decision 77).
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { RouteInput, RouteReply } from '@tollgate/contract/route.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import {
  simulatorName,
  testMessagesPerHour,
  type simulatorRoutes,
} from '@tollgate/contract/gateway/simulator.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { splitText, type MessageSegment } from '@tollgate/smpp/text/split.ts'
import type { Audit } from '../../audit/index.ts'
import { row, type Db } from '../../platform/db.ts'
import type { Actor, Caller } from '../../http/handlers.ts'
import { spendRate } from '../../platform/load/rate-uses.ts'
import type { Pricing } from '../../rates/index.ts'
import { recordFlags, type Completion, type Ingest, type IngestMessage } from '../../ingest/index.ts'

type SimulateRoute = (typeof simulatorRoutes)['simulateMessage']
type TypedMessage = RouteInput<SimulateRoute>['body']
type SimulatedMessage = RouteReply<SimulateRoute>

export interface SimulatorDeps {
  readonly db: Db
  readonly audit: Pick<Audit, 'record'>
  readonly messages: Pick<Ingest, 'storeWithin' | 'gatewayId' | 'nowMs' | 'refresh'>
  readonly pricing: Pick<Pricing, 'find' | 'rateFor'>
}

// storeWithin gives its result, so nothing is called.
const unused = (): void => undefined
const completion: Completion = { committed: unused, failed: unused, settled: unused }

/**
 * Stores the message in `tx`, with its audit entry. Throws Refusal: unprocessable for a number or text that takes no
 * message, not_found for a number that a client does not hold, too_many.
 */
export async function simulateMessage(
  { audit, messages, pricing }: SimulatorDeps,
  tx: Db,
  typed: TypedMessage,
  { actor, ip }: Caller,
): Promise<SimulatedMessage> {
  const segment = onlySegment(typed.text)
  const nowMs = messages.nowMs()
  await spendAllowance(tx, actor.userId, new Date(nowMs))
  const gatewayId = await messages.gatewayId('api', simulatorName)
  await messages.refresh()
  const holderId = pricing.find(typed.to, nowMs)?.holderAt(nowMs) ?? 0
  refuseForeign(actor, holderId)
  const [stored] = await messages.storeWithin(tx, [toMessage(typed, segment, { nowMs, gatewayId })])
  if (stored === undefined || 'refused' in stored) throw refusedNumber(stored?.refused ?? 'unknown')
  // The catalog may have changed since, but not after this: the transaction keeps the traffic gate.
  const entry = pricing.find(typed.to, nowMs)
  const clientId = entry?.holderAt(nowMs) ?? 0
  refuseForeign(actor, clientId)
  await audit.record(tx, {
    actor,
    ip,
    action: 'message.simulate',
    objectType: 'record',
    objectId: stored.messageId,
    after: { from: typed.from, to: typed.to },
  })
  const rate = entry === undefined || clientId === 0 ? undefined : pricing.rateFor(entry, clientId, nowMs)
  return {
    messageId: stored.messageId,
    client: clientId === 0 ? '' : await usernameOf(tx, clientId),
    price: rate
      ? {
          usdPerSms: formatMicro(BigInt(rate.rateMicro), 3),
          from: rate.from === 'user' ? 'client' : rate.from,
        }
      : null,
  }
}

function onlySegment(text: string): MessageSegment {
  const segments = splitText(text, { reference: 0 })
  const [segment] = segments ?? []
  if (segment !== undefined && segments?.length === 1) return segment
  const message = 'This text takes more than one SMS. Shorten it.'
  throw new Refusal('unprocessable', message, { fields: { text: message } })
}

function toMessage(
  { from, to }: TypedMessage,
  { octets, dataCoding, esmClass }: MessageSegment,
  { nowMs, gatewayId }: { readonly nowMs: number; readonly gatewayId: number },
): IngestMessage {
  return {
    createdAtMs: nowMs,
    digits: to,
    displayedSourceAddress: from.replace(/^\+(?=\d+$)/, ''),
    gatewayId,
    source: 'api',
    sequence: -1,
    sourceAddress: from,
    destinationAddress: to,
    esmClass,
    dataCoding,
    body: octets,
    flags: recordFlags.test,
    completion,
  }
}

/** Each person has an allowance, so that nobody fills lists and counts with tests. */
async function spendAllowance(tx: Db, userId: number, now: Date): Promise<void> {
  const rate = { act: 'test message', max: testMessagesPerHour, windowMs: 3_600_000 } as const
  if ((await spendRate(tx, rate, String(userId), now)) === undefined) return
  throw new Refusal(
    'too_many',
    sentence('At most {count} test messages in an hour. Try again later.', { count: testMessagesPerHour }),
    { retryAfterSeconds: 600 },
  )
}

/** A client learns nothing of numbers that somebody else holds. */
function refuseForeign(actor: Actor, holderId: number): void {
  if (holderId === actor.userId || isPermitted(actor.role, 'numbersManagement')) return
  const message = 'You hold no such number.'
  throw new Refusal('not_found', message, { fields: { to: message } })
}

function refusedNumber(reason: 'unknown' | 'suspended'): Refusal {
  const message =
    reason === 'unknown'
      ? 'This number is not in the list. A supplier would be answered 0x0B; add the number first.'
      : 'This number is not active. A supplier would be answered 0x0B; activate the number first.'
  return new Refusal('unprocessable', message, { fields: { to: message } })
}

async function usernameOf(tx: Db, userId: number): Promise<string> {
  const found = await row<{ username: string }>(tx, sql`select username from users where id = ${userId}`)
  return found?.username ?? ''
}
