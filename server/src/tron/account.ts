// What a node says of an account: its outgoing transfers of USDT, and its balance. A listed transfer is a candidate only;
// the receipt of its transaction is what counts.
import { z } from 'zod'
import type { Egress } from '../platform/security/egress.ts'
import { addressBytes } from '../rates/index.ts'
import type { TronSettings } from './settings.ts'
import { askNode, type NodeAnswer } from './ask-node.ts'

/** TronGrid gives at most so many in a page. */
const pageSize = 200

const listTimeoutMs = 9_000
const balanceTimeoutMs = 9_000

const pageSchema = z.object({
  success: z.literal(true),
  data: z
    .array(
      z.object({
        transaction_id: z.string().regex(/^[0-9a-fA-F]{64}$/),
        token_info: z.object({ address: z.string().max(64) }),
        block_timestamp: z.int().min(0).max(8_640_000_000_000_000),
        from: z.string().max(64),
        to: z.string().max(64),
        value: z.union([z.string().regex(/^\d{1,78}$/), z.int().min(0)]),
      }),
    )
    .max(pageSize),
  meta: z.object({ fingerprint: z.string().max(2_000).optional() }).optional(),
})

export interface TransferPage {
  /** The transactions with outgoing transfers, in lower case. */
  readonly txids: readonly string[]
  /** When the last line of the page was, whatever it was; undefined for an empty page. */
  readonly lastMs: number | undefined
  /** There may be more behind it. */
  readonly isFull: boolean
  /** Where the next page goes on; nodes are known to leave it out. */
  readonly fingerprint: string | undefined
}

interface AccountPageRequest {
  readonly address: string
  readonly fromMs: number
  readonly fingerprint: string | undefined
  readonly signal?: AbortSignal | undefined
}

type Answer<T> = Exclude<NodeAnswer, { kind: 'value' }> | { readonly kind: 'value'; readonly value: T }

/** A page of an account's outgoing transfers of the configured token, oldest first, from `fromMs` on. */
export async function listOutgoing(
  egress: Pick<Egress, 'call'>,
  tron: TronSettings,
  { address, fromMs, fingerprint, signal }: AccountPageRequest,
): Promise<Answer<TransferPage>> {
  const query = new URLSearchParams({
    only_confirmed: 'true',
    only_from: 'true',
    limit: String(pageSize),
    order_by: 'block_timestamp,asc',
    contract_address: tron.usdtContract,
    min_timestamp: String(fromMs),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  })
  const path = `/v1/accounts/${address}/transactions/trc20?${query.toString()}`
  const answer = await askNode(egress, tron, { path, timeoutMs: listTimeoutMs, signal })
  if (answer.kind !== 'value') return answer
  const page = pageSchema.safeParse(answer.value)
  if (!page.success)
    return { kind: 'fault', message: 'The node answers with something that is no list of transfers.' }
  const { data, meta } = page.data
  return {
    kind: 'value',
    value: {
      // Tokens that only call themselves USDT, and transfers of 0 that anybody can make in our name, are dropped here.
      txids: data
        .filter(
          ({ from, token_info, value }) =>
            from === address && token_info.address === tron.usdtContract && BigInt(value) > 0n,
        )
        .map(({ transaction_id: txid }) => txid.toLowerCase()),
      lastMs: data.reduce<number | undefined>(
        (last, { block_timestamp: atMs }) => Math.max(last ?? 0, atMs),
        undefined,
      ),
      isFull: data.length >= pageSize,
      fingerprint: meta?.fingerprint,
    },
  }
}

const constantSchema = z.object({
  result: z.object({ result: z.literal(true) }),
  constant_result: z.tuple([z.string().regex(/^[0-9a-f]{64}$/)]),
})

/** What an account has of the token in irreversible blocks, in millionths; undefined without a clear answer. */
export async function findBalance(
  egress: Pick<Egress, 'call'>,
  tron: TronSettings,
  address: string,
): Promise<bigint | undefined> {
  const account = addressBytes(address) ?? ''
  const body = {
    owner_address: `41${account}`,
    contract_address: `41${addressBytes(tron.usdtContract) ?? ''}`,
    function_selector: 'balanceOf(address)',
    parameter: account.padStart(64, '0'),
  }
  const path = '/walletsolidity/triggerconstantcontract'
  const answer = await askNode(egress, tron, { path, body, timeoutMs: balanceTimeoutMs })
  const parsed = constantSchema.safeParse(answer.kind === 'value' ? answer.value : undefined)
  return parsed.success ? BigInt(`0x${parsed.data.constant_result[0]}`) : undefined
}
