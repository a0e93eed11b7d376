// Builds the deliveries over SMPP.
import { z } from 'zod'
import { schemaMessage } from '@tollgate/contract/schema-messages.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../../platform/db.ts'
import { openLeases, type Leases } from '../../platform/work/leases.ts'
import type { Logger } from '../../platform/log.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import type { RecordKey } from '../../ingest/index.ts'
import type { Settings } from '../../settings/index.ts'
import { Deliverer } from './deliverer.ts'
import { Receivers } from './receivers.ts'
import { keepReceiver } from './store.ts'
import { DeliveryUpkeep } from './upkeep.ts'

export interface DeliveriesDeps {
  readonly db: Db
  readonly log: Logger
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly settings: Pick<Settings, 'define'>
  /** Whether the client also receives its records over HTTP; default: no client does. */
  readonly hasEndpoint?: (clientId: number) => boolean
  /** Ends the deliveries over HTTP of records whose validity is over; default: there are none. */
  readonly onExpired?: (tx: Db, keys: readonly RecordKey[]) => Promise<void>
  /** How many deliver_sm may be unanswered on one bind at most, whatever its account's profile says. */
  readonly windowMax?: number
  /** How often deliveries are looked for that waited too long; defaults to every 30 s. */
  readonly sweepEveryMs?: number
}

/** Delivers records to clients and receipts to suppliers, over the binds of this node. */
export interface Deliveries {
  /** Whether this client receives its records over SMPP. Answered from memory, at most a second old, for ingest. */
  hasReceiver(clientId: number): boolean
  /** Marks this client as a receiver in the transaction of its bind. */
  admit(tx: Db, userId: number): Promise<void>
  readonly deliverer: Pick<Deliverer, 'bound' | 'gone' | 'late'>
  /** Loads the receivers; with `delivers`, which nodes that serve SMPP set, also begins to deliver. */
  start(options: { delivers: boolean }): Promise<void>
  /** Writes the last results. Call it after the binds are closed. */
  stop(): Promise<void>
}

const waitHoursDefault = 168

/** Builds the deliveries; nothing runs before {@link Deliveries.start}. */
export function createDeliveries(deps: DeliveriesDeps): Deliveries {
  const { db, log, secrets } = deps
  const onFault = (error: unknown) =>
    log.warn({ err: error }, 'a delivery over SMPP failed; it is tried again')
  const waitHours = deps.settings.define({
    key: 'delivery_wait_hours',
    description:
      'How many hours a record or a receipt waits for its SMPP bind to take it, and for a client without a bind to come back.',
    fallback: waitHoursDefault,
    schema: z.coerce
      .number<string>('Enter a whole number of hours')
      .int('Enter a whole number of hours')
      .min(1, schemaMessage(sentence('At least 1 hour')))
      .max(
        waitHoursDefault,
        schemaMessage(
          sentence('At most {count} hours: texts are not kept longer', { count: waitHoursDefault }),
        ),
      ),
  })
  const receivers = new Receivers(db, onFault)
  let leases: Leases | undefined
  // Opened when the node starts to deliver, so that a node that does not deliver has no renewal timer.
  const acquire = async (name: string) => leases?.acquire(name)
  const deliverer = new Deliverer({
    db,
    secrets,
    leases: { acquire },
    windowMax: deps.windowMax ?? Infinity,
    onFault,
  })
  const upkeep = new DeliveryUpkeep({
    db,
    leases: { acquire },
    waitHours: () => waitHours.get(db),
    hasEndpoint: deps.hasEndpoint ?? (() => false),
    onExpired: deps.onExpired ?? (async () => undefined),
    sweepEveryMs: deps.sweepEveryMs,
    onFault,
  })
  return {
    hasReceiver: (clientId) => receivers.has(clientId),
    async admit(tx, userId) {
      await keepReceiver(tx, userId)
      receivers.add(userId)
    },
    deliverer,
    async start({ delivers }) {
      await receivers.start()
      if (!delivers) return
      leases = await openLeases(db, log)
      deliverer.start()
      upkeep.start()
    },
    async stop() {
      await Promise.all([deliverer.stop(), upkeep.stop()])
      await leases?.stop().catch(onFault)
      await receivers.stop()
    },
  }
}
