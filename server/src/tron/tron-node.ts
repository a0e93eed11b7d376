// Queries a TRON node about transactions. Payments depend on it, so an unclear answer counts as no answer.
import { z } from 'zod'
import type { Egress } from '../platform/security/egress.ts'
import { addressBytes } from '../rates/index.ts'
import type { TronSettings } from './settings.ts'
import { askNode } from './ask-node.ts'

const hexSchema = z.string().transform((text) => text.toLowerCase().replace(/^0x/, ''))

const receiptSchema = z.object({
  id: hexSchema,
  blockNumber: z.number(),
  blockTimeStamp: z.number(),
  result: z.string().optional(),
  receipt: z.object({ result: z.string().optional() }),
  log: z.array(z.object({ address: hexSchema, topics: z.array(hexSchema), data: hexSchema })).default([]),
})
export type TransactionReceipt = z.infer<typeof receiptSchema>

const receiptTimeoutMs = 9_000
// Shorter, because a person waits for the result.
const blacklistTimeoutMs = 4_000

/**
 * The receipt of a transaction in an irreversible block; undefined when the node does not know it, does not answer, or
 * answers with anything else (its errors come with status 200).
 */
export async function findReceipt(
  egress: Pick<Egress, 'call'>,
  tron: TronSettings,
  hash: string,
  timeoutMs = receiptTimeoutMs,
): Promise<TransactionReceipt | undefined> {
  const reply = await callNode(
    egress,
    tron,
    '/walletsolidity/gettransactioninfobyid',
    { value: hash },
    timeoutMs,
  )
  const parsed = receiptSchema.safeParse(reply)
  return parsed.success && parsed.data.id === hash ? parsed.data : undefined
}

// Short, because this only tells a person about the progress; the check that decides must run again within 10 s.
const seenTimeoutMs = 1_000

/** The block of a transaction that is not final yet; undefined when the node has not seen it or does not answer. */
export async function findUnsettledBlock(
  egress: Pick<Egress, 'call'>,
  tron: TronSettings,
  hash: string,
): Promise<number | undefined> {
  const reply = await callNode(egress, tron, '/wallet/gettransactioninfobyid', { value: hash }, seenTimeoutMs)
  const parsed = receiptSchema.safeParse(reply)
  return parsed.success && parsed.data.id === hash ? parsed.data.blockNumber : undefined
}

/** known: a block has it; unknown: both nodes say that none has; unclear: anything else. */
export type Lookup = 'known' | 'unknown' | 'unclear'

// A person waits for the result.
const lookupTimeoutMs = 4_000

/** What the node of irreversible blocks and the node of all blocks say of a transaction. */
export async function lookUp(
  egress: Pick<Egress, 'call'>,
  tron: TronSettings,
  hash: string,
): Promise<Lookup> {
  const replies = await Promise.all(
    ['/walletsolidity/gettransactioninfobyid', '/wallet/gettransactioninfobyid'].map((path) =>
      callNode(egress, tron, path, { value: hash }, lookupTimeoutMs),
    ),
  )
  if (replies.some((reply) => receiptSchema.safeParse(reply).data?.id === hash)) return 'known'
  return replies.every((reply) => unknownSchema.safeParse(reply).success) ? 'unknown' : 'unclear'
}

// Nodes answer so for a transaction that they do not know.
const unknownSchema = z.strictObject({})

const constantSchema = z.object({
  result: z.object({ result: z.literal(true) }),
  constant_result: z.tuple([z.string().regex(/^[0-9a-f]{64}$/)]),
})

/** Whether USDT's contract refuses transfers to an account, its 20 bytes as hex; undefined without a clear answer. */
export async function isBlacklisted(
  egress: Pick<Egress, 'call'>,
  tron: TronSettings,
  accountHex: string,
): Promise<boolean | undefined> {
  const call = {
    owner_address: `41${accountHex}`,
    contract_address: `41${addressBytes(tron.usdtContract) ?? ''}`,
    function_selector: 'isBlackListed(address)',
    parameter: accountHex.padStart(64, '0'),
  }
  const reply = await callNode(egress, tron, '/wallet/triggerconstantcontract', call, blacklistTimeoutMs)
  const parsed = constantSchema.safeParse(reply)
  return parsed.success ? BigInt(`0x${parsed.data.constant_result[0]}`) !== 0n : undefined
}

/** The node's reply as JSON; undefined when it does not answer, or answers with anything else. */
export async function callNode(
  egress: Pick<Egress, 'call'>,
  tron: TronSettings,
  path: string,
  body: object,
  timeoutMs: number,
): Promise<unknown> {
  const answer = await askNode(egress, tron, { path, body, timeoutMs })
  return answer.kind === 'value' ? answer.value : undefined
}
