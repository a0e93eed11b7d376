// The stand-in for a TRON node, for tests.
import { afterUse } from '../environment/database.ts'
import { serveTronNode, type TronNode } from './serve-tron-node.ts'

export type { TronNode } from './serve-tron-node.ts'

/** Listens until the test, or the test file, that opened it ends. */
export async function openTronNode(): Promise<TronNode> {
  const node = await serveTronNode()
  afterUse(() => node.stop())
  return node
}
