import { Refusal } from '@tollgate/contract/errors.ts'
import { ownTrafficRoutes, supplierTrafficRoutes } from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type Actor, type BoundRoutes } from '../http/handlers.ts'
import { refuseAdminTarget } from '../users/index.ts'
import type { MessageStore } from '../gateway/index.ts'
import { listOwnRefusedBinds, readOwnBinds } from './binds-view.ts'
import { findOwnMessages } from './find-messages.ts'
import { readOwnTraffic } from './traffic-view.ts'

export interface OwnTrafficDeps {
  readonly db: Db
  /** The database for heavy calls; `db` by default. */
  readonly heavyDb?: Db | undefined
  readonly messages: Pick<MessageStore, 'nowMs'>
}

/** The routes of what a supplier sees of its own; whoever asks gets nothing else. */
export function bindOwnTrafficRoutes({ db, messages }: OwnTrafficDeps): BoundRoutes {
  const now = () => new Date(messages.nowMs())
  return bindRoutes(ownTrafficRoutes, {
    getOwnTraffic: ({ query }, { actor: { userId, role } }) =>
      readOwnTraffic(db, userId, { hours: Number(query.hours), now: now(), masks: role === 'test' }),
    getOwnBinds: (_, { actor }) => readOwnBinds(db, actor.userId, now()),
    listOwnRefusedBinds: (_, { actor }) => listOwnRefusedBinds(db, actor.userId, now()),
    async findOwnMessages({ params }, { actor: { userId, role } }) {
      const found = await findOwnMessages(db, userId, params.id, { now: now(), masks: role === 'test' })
      if (found.length > 0) return found
      throw new Refusal(
        'not_found',
        'No message of yours was answered with this id, or its record is no longer kept. Enter the message_id of the submit_sm_resp as it came.',
      )
    },
  })
}

/** The same of any account, for staff. */
export function bindSupplierTrafficRoutes({ db, messages }: OwnTrafficDeps): BoundRoutes {
  const now = () => new Date(messages.nowMs())
  return bindRoutes(supplierTrafficRoutes, {
    async getSupplierTraffic({ params, query }, { actor }) {
      await refuseUnlessBelow(db, params.id, actor)
      return readOwnTraffic(db, params.id, { hours: Number(query.hours), now: now(), masks: false })
    },
    async getSupplierBinds({ params }, { actor }) {
      await refuseUnlessBelow(db, params.id, actor)
      return readOwnBinds(db, params.id, now())
    },
    async listSupplierRefusedBinds({ params }, { actor }) {
      await refuseUnlessBelow(db, params.id, actor)
      return listOwnRefusedBinds(db, params.id, now())
    },
    async findSupplierMessages({ params }, { actor }) {
      await refuseUnlessBelow(db, params.id, actor)
      const found = await findOwnMessages(db, params.id, params.messageId, { now: now(), masks: false })
      if (found.length > 0) return found
      throw new Refusal(
        'not_found',
        'No message of this account was answered with this id, or its record is no longer kept.',
      )
    },
  })
}

/** Throws Refusal not_found, or forbidden for an admin's account and support. */
async function refuseUnlessBelow(db: Db, userId: number, actor: Actor): Promise<void> {
  const account = await db.selectFrom('users').select('role').where('id', '=', userId).executeTakeFirst()
  if (account === undefined) throw new Refusal('not_found', 'There is no such account.')
  refuseAdminTarget(actor, account)
}
