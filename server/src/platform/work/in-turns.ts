import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

// A turn must be short, because answering a message takes several turns of the event loop.
const turnMs = 2

/**
 * Maps the items in order, with turns for others between them: one thread serves everybody, and hundreds of thousands of
 * items at once would hold all messages up.
 */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let turnBeganMs = performance.now()
  for (const item of items) {
    if (performance.now() - turnBeganMs > turnMs) {
      await yieldToEventLoop()
      turnBeganMs = performance.now()
    }
    results.push(map(item))
  }
  return results
}
