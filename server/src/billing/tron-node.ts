// Asks a TRON node about a transaction. Whatever is not a clear answer counts as none: money hangs on it.
import { z } from 'zod'
import type { Egress } from '../platform/egress.ts'
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

const timeoutMs = 9_000
const limitBytes = 1_048_576

/**
 * The receipt of a transaction in an irreversible block; undefined when the node does not know it, does not answer, or
 * answers with anything else (its errors come with status 200).
 */
export async function findReceipt(
  egress: Pick<Egress, 'call'>,
  { apiUrl, apiKey }: TronSettings,
  hash: string,
): Promise<TransactionReceipt | undefined> {
  const answer = await egress
    .call({
      url: `${apiUrl}/walletsolidity/gettransactioninfobyid`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { 'TRON-PRO-API-KEY': apiKey }),
      },
      body: JSON.stringify({ value: hash }),
      timeoutMs,
      limitBytes,
      isConfigured: true,
    })
    // A node that is away says nothing about the transfer; the next look asks again.
    .catch(() => undefined)
  if (answer?.status !== 200) return undefined
  const parsed = receiptSchema.safeParse(parseJson(answer.body.toString('utf8')))
  return parsed.success && parsed.data.id === hash ? parsed.data : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Lite nodes answer with plain text.
    return undefined
  }
}
