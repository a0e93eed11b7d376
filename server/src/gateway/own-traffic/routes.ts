import { Refusal } from '@tollgate/contract/errors.ts'
import { ownTrafficRoutes } from '@tollgate/contract/own-traffic.ts'
import type { Db } from '../../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../../platform/http/handlers.ts'
import type { MessageStore } from '../deps.ts'
import { listOwnRefusedBinds, readOwnBinds } from './binds-view.ts'
import { findOwnMessages } from './find-messages.ts'
import { readOwnTraffic } from './traffic-view.ts'

interface OwnTrafficDeps {
  readonly db: Db
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
