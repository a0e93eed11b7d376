// Asks a TRON node about a transaction. Whatever is not a clear answer counts as none: money hangs on it.
import { z } from 'zod'
import type { Egress } from '../platform/security/egress.ts'
import { addressBytes } from './address.ts'
import type { TronSettings } from './parts.ts'

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
// A person waits for this one.
const blacklistTimeoutMs = 4_000
const limitBytes = 1_048_576

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
  const answer = await ask(egress, tron, '/walletsolidity/gettransactioninfobyid', { value: hash }, timeoutMs)
  const parsed = receiptSchema.safeParse(answer)
  return parsed.success && parsed.data.id === hash ? parsed.data : undefined
}

// Only to tell whoever waits; the look that decides must come again within 10 s.
const seenTimeoutMs = 1_000

/** The block of a transaction that may still be undone; undefined when the node has not seen it or does not answer. */
export async function findUnsettledBlock(
  egress: Pick<Egress, 'call'>,
  tron: TronSettings,
  hash: string,
): Promise<number | undefined> {
  const answer = await ask(egress, tron, '/wallet/gettransactioninfobyid', { value: hash }, seenTimeoutMs)
  const parsed = receiptSchema.safeParse(answer)
  return parsed.success && parsed.data.id === hash ? parsed.data.blockNumber : undefined
}

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
  const question = {
    owner_address: `41${accountHex}`,
    contract_address: `41${addressBytes(tron.usdtContract) ?? ''}`,
    function_selector: 'isBlackListed(address)',
    parameter: accountHex.padStart(64, '0'),
  }
  const answer = await ask(egress, tron, '/wallet/triggerconstantcontract', question, blacklistTimeoutMs)
  const parsed = constantSchema.safeParse(answer)
  return parsed.success ? BigInt(`0x${parsed.data.constant_result[0]}`) !== 0n : undefined
}

/** The node's answer as JSON; undefined when it does not answer or answers with anything else. */
async function ask(
  egress: Pick<Egress, 'call'>,
  { apiUrl, apiKey }: TronSettings,
  path: string,
  body: object,
  timeoutMs: number,
): Promise<unknown> {
  const answer = await egress
    .call({
      url: `${apiUrl}${path}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { 'TRON-PRO-API-KEY': apiKey }),
      },
      body: JSON.stringify(body),
      timeoutMs,
      limitBytes,
      isConfigured: true,
    })
    // A node that is away says nothing about the transfer or the address.
    .catch(() => undefined)
  return answer?.status === 200 ? parseJson(answer.body.toString('utf8')) : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Lite nodes answer with plain text.
    return undefined
  }
}
