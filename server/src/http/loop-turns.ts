// Spreads calls that come at the same moment over turns of the event loop. Five hundred at once would otherwise be begun in
// one turn, and no message would be read before the last of them.
import { FairQueue } from '../platform/load/fair-queue.ts'

// Each takes some tenths of a millisecond until it waits for something.
const begunPerTurn = 4
// More than a page asks for at once. So many wait for the messages too: ten milliseconds at most for each four.
const crowdMin = 20

/** Resolves in a turn of the event loop in which few other calls begin; networks take them in rotation. */
export type LoopTurn = (network: string) => Promise<void>

/** `nextWindow` resolves when a crowd may go on beside the messages. */
export function loopTurns(nextWindow: () => Promise<void> = () => Promise.resolve()): LoopTurn {
  const turns = new FairQueue({ runningMax: begunPerTurn })
  let waitingCount = 0
  return async (network) => {
    waitingCount += 1
    const end = await turns.enter({ key: network })
    waitingCount -= 1
    setImmediate(() => {
      if (waitingCount < crowdMin) end()
      else void nextWindow().then(end)
    })
  }
}
