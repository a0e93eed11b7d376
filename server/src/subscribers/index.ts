// Entry of the subscribers slice: what is stored under the number of a person who sent messages to our numbers.
import { subscribersRoutes } from '@tollgate/contract/subscribers/subscribers.ts'
import { bindOn, bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import { inTurns } from '../integrity/index.ts'
import type { Overload } from '../platform/load/overload.ts'
import { transaction } from '../platform/transaction.ts'
import type { Job } from '../platform/work/jobs.ts'
import { eraseSubscribers } from './erase-subscriber.ts'
import { decideErasure, readErasures, requestErasure } from './erasures.ts'
import { exportSubscriber, findSubscriber, type SubscriberParts } from './export-subscriber.ts'

interface SubscribersParts extends SubscriberParts {
  /** Makes an erasure wait for messages. */
  readonly overload: Pick<Overload, 'shouldWait'>
}

interface Subscribers {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
}

/** Builds the slice. */
export function createSubscribers(parts: SubscribersParts): Subscribers {
  return {
    routes: [
      bindOn(parts, (on) =>
        bindRoutes(subscribersRoutes, {
          findSubscriber: ({ body }) => findSubscriber(on, body.number),
          exportSubscriber: ({ body }, caller) => exportSubscriber(on, body.number, caller),
          listErasures: () => readErasures(on.db),
          requestErasure: ({ body }, by) => by.once(on.db, (tx) => requestErasure(tx, on, body, by)),
          decideErasure: ({ params, body }, by) =>
            transaction(on.db, (tx) => decideErasure(tx, on, Number(params.id), body.action, by)),
        }),
      ),
    ],
    jobs: [inTurns('erase-subscribers', parts.overload, (goesOn) => eraseSubscribers(parts, goesOn))],
  }
}
