// Entry of the subscribers slice: what is stored under the number of a person who sent messages to our numbers.
import { subscribersRoutes } from '@tollgate/contract/subscribers/subscribers.ts'
import { bindOn, bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import { exportSubscriber, findSubscriber, type SubscriberParts } from './export-subscriber.ts'

/** Builds the slice. */
export function createSubscribers(parts: SubscriberParts): { readonly routes: BoundRoutes[] } {
  return {
    routes: [
      bindOn(parts, (on) =>
        bindRoutes(subscribersRoutes, {
          findSubscriber: ({ body }) => findSubscriber(on, body.number),
          exportSubscriber: ({ body }, caller) => exportSubscriber(on, body.number, caller),
        }),
      ),
    ],
  }
}
