// The transactions of the demo's chain: all leave its wallet, and none can be undone some seconds later.
import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Clock } from '../../platform/clock.ts'
import type { ListedTransaction } from './chain-account.ts'

export interface ChainWalletOptions {
  /** 20 bytes as hex, like the other addresses. */
  readonly contract: string
  readonly wallet: string
  readonly clock: Clock
  readonly irreversibleAfterMs: number
  /** Keeps them for the next start; undefined: in memory only. */
  readonly file: string | undefined
}

export class ChainTransactions {
  readonly #options: ChainWalletOptions
  readonly #mined: Map<string, ListedTransaction>

  constructor(options: ChainWalletOptions) {
    this.#options = options
    this.#mined = new Map(readAll(options.file).map((transaction) => [transaction.hash, transaction]))
  }

  /** Sends from the wallet; returns the hash. */
  pay(to: string, amountMicro: bigint): string {
    const { contract, wallet, clock, file } = this.#options
    const hash = randomBytes(32).toString('hex')
    const transfers = [{ contract, from: wallet, to, amountMicro }]
    const transaction = { hash, atMs: clock.now().getTime(), transfers }
    this.#mined.set(hash, transaction)
    if (file !== undefined) appendFileSync(file, `${toText(transaction)}\n`)
    return hash
  }

  find(hash: string): ListedTransaction | undefined {
    return this.#mined.get(hash)
  }

  isIrreversible({ atMs }: ListedTransaction): boolean {
    return this.#options.clock.now().getTime() - atMs >= this.#options.irreversibleAfterMs
  }

  irreversible(): ListedTransaction[] {
    return [...this.#mined.values()].filter((transaction) => this.isIrreversible(transaction))
  }
}

const transactionSchema = z.object({
  hash: z.string(),
  atMs: z.number(),
  transfers: z.array(
    z.object({
      contract: z.string(),
      from: z.string(),
      to: z.string(),
      amountMicro: z.string().transform(BigInt),
    }),
  ),
})

const toText = (transaction: ListedTransaction): string =>
  JSON.stringify(transaction, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

function readAll(file: string | undefined): ListedTransaction[] {
  if (file === undefined || !existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => transactionSchema.parse(JSON.parse(line)))
}
