// The time of the chain, by its newest block.
import { z } from 'zod'
import type { Egress } from '../platform/security/egress.ts'
import type { TronSettings } from './settings.ts'
import { callNode } from './tron-node.ts'

const blockSchema = z.object({
  block_header: z.object({ raw_data: z.object({ timestamp: z.int().positive() }) }),
})

// The close of a cycle waits for the answer.
const timeoutMs = 2_000

/** When the newest block was made; undefined when the node does not answer, or answers with anything else. */
export async function newestBlockAt(
  egress: Pick<Egress, 'call'>,
  tron: TronSettings,
): Promise<Date | undefined> {
  const parsed = blockSchema.safeParse(await callNode(egress, tron, '/wallet/getnowblock', {}, timeoutMs))
  return parsed.success ? new Date(parsed.data.block_header.raw_data.timestamp) : undefined
}
