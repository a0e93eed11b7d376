import { providersRoutes, type Provider } from '@tollgate/contract/providers/providers.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type BoundRoutes, type Caller } from '../http/handlers.ts'
import { afterCommit } from '../platform/transaction.ts'
import type { ProvidersDeps } from './deps.ts'
import type { PollLimits } from './poll-limits.ts'
import { dismissDeadLetter, openDeadLetter, replayDeadLetter, replayDeadLetters } from './dead-letters.ts'
import {
  addProvider,
  configureCustom,
  editProvider,
  requireProvider,
  orderProvider,
  providerIdOf,
  removeProvider,
  unknownProvider,
} from './service.ts'
import { previewProvider, testProvider } from './try-provider.ts'
import {
  exportDeadLetters,
  viewDeadLetter,
  viewDeadLetters,
  viewProvider,
  viewProviders,
  viewWorkers,
} from './views.ts'

/** `runSoon` makes this node act on a change at once; other nodes see it within a second. */
export function bindProvidersRoutes(
  deps: ProvidersDeps,
  limits: PollLimits,
  runSoon: () => void,
): BoundRoutes {
  const { db } = deps
  const show = async (id: number, tx: Db = db): Promise<Provider> => {
    afterCommit(tx, runSoon)
    const found = await viewProvider(tx, id)
    if (found === undefined) throw unknownProvider()
    return found
  }
  const runOrder = async (id: string, order: 'start' | 'stop', caller: Caller) => {
    const number = await providerIdOf(db, id)
    await orderProvider(deps, number, order, caller)
    return show(number)
  }
  return bindRoutes(providersRoutes, {
    listProviders: () => viewProviders(db),
    createProvider: ({ body }, context) =>
      context.once(db, async (tx) => show(await addProvider({ ...deps, db: tx }, body, context), tx)),
    configureCustomProvider: async ({ body }, context) => show(await configureCustom(deps, body, context)),
    previewProvider: ({ body }, { signal }) => previewProvider(deps, limits, body, signal),
    async editProvider({ params, body }, context) {
      const id = await providerIdOf(db, params.id)
      await editProvider(deps, id, body, context)
      return show(id)
    },
    async deleteProvider({ params }, context) {
      await removeProvider(deps, await providerIdOf(db, params.id), context)
      runSoon()
    },
    startProvider: ({ params }, context) => runOrder(params.id, 'start', context),
    stopProvider: ({ params }, context) => runOrder(params.id, 'stop', context),
    testProvider: async ({ params }, { signal }) =>
      testProvider(deps, limits, await requireProvider(db, await providerIdOf(db, params.id)), signal),
    async listDeadLetters({ params, query }) {
      const { id } = await requireProvider(db, await providerIdOf(db, params.id))
      return viewDeadLetters(db, id, query)
    },
    async exportDeadLetters({ params, query }) {
      const { id } = await requireProvider(db, await providerIdOf(db, params.id))
      return exportDeadLetters(db, id, query.reason)
    },
    async showDeadLetter({ params }, context) {
      const id = await providerIdOf(db, params.id)
      const text = await openDeadLetter(deps, id, params.letterId, context)
      const deadLetter = await viewDeadLetter(db, id, params.letterId)
      if (deadLetter === undefined) throw new Refusal('not_found', 'There is no such row.')
      return { ...deadLetter, row: text }
    },
    replayDeadLetter: async ({ params }, context) =>
      replayDeadLetter(deps, await providerIdOf(db, params.id), params.letterId, context),
    replayDeadLetters: async ({ params, body }, context) =>
      replayDeadLetters(deps, await providerIdOf(db, params.id), body.reason, context),
    dismissDeadLetter: async ({ params }, context) =>
      dismissDeadLetter(deps, await providerIdOf(db, params.id), params.letterId, context),
    workerStats: () => viewWorkers(db),
  })
}
