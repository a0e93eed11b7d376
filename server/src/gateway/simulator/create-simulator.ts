import { simulatorRoutes } from '@tollgate/contract/gateway/simulator.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import { simulateMessage, type SimulatorDeps } from './simulate.ts'

/** Builds the simulator: a route by which a person sends a test message. */
export function createSimulator(deps: SimulatorDeps): { readonly routes: BoundRoutes[] } {
  return {
    routes: [
      bindRoutes(simulatorRoutes, {
        simulateMessage: ({ body }, context) =>
          context.once(deps.db, (tx) => simulateMessage(deps, tx, body, context)),
      }),
    ],
  }
}
