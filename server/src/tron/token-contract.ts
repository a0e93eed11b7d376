// Whether an address is a token's contract: what is sent there is lost.
import { z } from 'zod'
import type { Egress } from '../platform/security/egress.ts'
import type { TronSettings } from './settings.ts'
import { callNode } from './tron-node.ts'

const contractSchema = z.object({
  abi: z.object({ entrys: z.array(z.object({ name: z.string().optional() })) }),
})

// A person waits for the result.
const timeoutMs = 4_000

/**
 * Whether an account, given as its 20 bytes in hex, is a token's contract. False also when the node gives no clear
 * answer.
 */
export async function isTokenContract(
  egress: Pick<Egress, 'call'>,
  tron: TronSettings,
  accountHex: string,
): Promise<boolean> {
  const reply = await callNode(egress, tron, '/wallet/getcontract', { value: `41${accountHex}` }, timeoutMs)
  const parsed = contractSchema.safeParse(reply)
  if (!parsed.success) return false
  const names = new Set(parsed.data.abi.entrys.map(({ name }) => name))
  return names.has('transfer') && names.has('balanceOf')
}
