// Spreads calls that come at the same moment over turns of the event loop. Five hundred at once would otherwise be begun in
// one turn, and no message would be read before the last of them.
import { FairQueue } from '../platform/load/fair-queue.ts'

// Each takes some tenths of a millisecond until it waits for something.
const begunPerTurn = 4

/** Resolves in a turn of the event loop in which few other calls begin; networks take them in rotation. */
export type LoopTurn = (network: string) => Promise<void>

export function loopTurns(): LoopTurn {
  const turns = new FairQueue({ runningMax: begunPerTurn })
  return async (network) => {
    setImmediate(await turns.enter({ key: network }))
  }
}
