// Puts the handing on over SMPP together.
import { z } from 'zod'
import { defaultSettings } from '@tollgate/smpp/session/handlers.ts'
import type { Db } from '../../platform/db.ts'
import { openLeases, type Leases } from '../../platform/leases.ts'
import type { Logger } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Settings } from '../../users/index.ts'
import { Deliverer } from './deliverer.ts'
import { Receivers } from './receivers.ts'
import { keepReceiver } from './store.ts'
import { DeliveryUpkeep } from './upkeep.ts'

export interface DeliveriesDeps {
  readonly db: Db
  readonly log: Logger
  readonly secrets: Pick<Secrets, 'open'>
  readonly settings: Pick<Settings, 'define'>
  /** Whether the client takes its records over HTTP as well; nobody does unless given. */
  readonly hasEndpoint?: (clientId: number) => boolean
  /** Requests that may wait for a client's answers at once on one bind. */
  readonly windowMax?: number
}

/** Records on their way to clients, and receipts on their way to suppliers, over the binds of this node. */
export interface Deliveries {
  /** Whether this client takes its records over SMPP: for ingest, from memory, at most a second old. */
  hasReceiver(clientId: number): boolean
  /** Notes in the bind's own transaction that this client receives from now on. */
  admit(tx: Db, userId: number): Promise<void>
  readonly deliverer: Pick<Deliverer, 'bound' | 'gone' | 'late'>
  /** Loads what {@link hasReceiver} knows; with `delivers`, also hands on (a part of nodes that serve SMPP). */
  start(options: { delivers: boolean }): Promise<void>
  /** Call it when the binds are gone: writes down what was taken. */
  stop(): Promise<void>
}

const waitHoursDefault = 168

/** Builds it; nothing runs before {@link Deliveries.start}. */
export function createDeliveries(deps: DeliveriesDeps): Deliveries {
  const { db, log, secrets } = deps
  const onFault = (error: unknown) =>
    log.warn({ err: error }, 'handing records on over SMPP failed; it is tried again')
  const waitHours = deps.settings.define({
    key: 'delivery_wait_hours',
    description:
      'How many hours a record or a receipt waits for its SMPP bind to take it, and for a client without a bind to come back.',
    fallback: waitHoursDefault,
    schema: z.coerce
      .number<string>('Enter a whole number of hours')
      .int('Enter a whole number of hours')
      .min(1, 'At least 1 hour')
      .max(waitHoursDefault, 'At most 168 hours: texts are not kept longer'),
  })
  const receivers = new Receivers(db, onFault)
  let leases: Leases | undefined
  // Named when the node starts to deliver, so that one which only shows holds no timer.
  const acquire = async (name: string) => leases?.acquire(name)
  const deliverer = new Deliverer({
    db,
    secrets,
    leases: { acquire },
    windowMax: deps.windowMax ?? defaultSettings.sendWindowMax,
    onFault,
  })
  const upkeep = new DeliveryUpkeep({
    db,
    leases: { acquire },
    waitHours: () => waitHours.get(db),
    hasEndpoint: deps.hasEndpoint ?? (() => false),
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
