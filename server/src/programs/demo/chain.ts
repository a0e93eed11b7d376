// A simulated TRON node and wallet for the demo: it sends USDT that does not exist, and the payment check finds the
// transfer as on the real chain. It runs in the demo's process, on loopback.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseMicro } from '@tollgate/contract/money.ts'
import { transferTopic } from '../../tron/index.ts'
import { systemClock, type Clock } from '../../platform/clock.ts'
import { addressBytes, toAddress } from '../../rates/index.ts'
import { accountIn, accountPage, balanceReply, type ChainTransfer } from './chain-account.ts'
import { ChainTransactions } from './chain-transactions.ts'
import { walletPage, type WalletLine } from './wallet-page.ts'

/** A transaction as a node returns it once it is in a block. */
export function receiptOf(
  hash: string,
  transfers: readonly ChainTransfer[],
  { at, result = 'SUCCESS' }: { readonly at: Date; readonly result?: string | undefined },
): object {
  return {
    id: hash,
    blockNumber: 1_000,
    blockTimeStamp: at.getTime(),
    ...(result === 'SUCCESS' ? {} : { result: 'FAILED', resMessage: '5245' }),
    receipt: { result },
    log: transfers.map(({ contract, from, to, amountMicro }) => ({
      address: contract,
      topics: [transferTopic, `${'0'.repeat(24)}${from}`, `${'0'.repeat(22)}41${to}`],
      data: amountMicro.toString(16).padStart(64, '0'),
    })),
  }
}

export interface DemoChain {
  /** For TRON_API_URL; in a browser it shows the wallet. */
  readonly url: string
  /** The address that the wallet pays from. */
  readonly walletAddress: string
  /** Sends from the wallet; returns the transaction's hash. Throws for what is no address. */
  send(address: string, amountMicro: bigint): string
  stop(): Promise<void>
}

interface ChainOptions {
  /** After how long a transaction cannot be undone. */
  readonly irreversibleAfterMs?: number
  readonly clock?: Clock
  /** Keeps the transactions for the next start; in memory only without it. */
  readonly file?: string
}

// About a minute on the main net; shorter here, since a person waits.
const irreversibleAfterDefaultMs = 20_000
const bodyMax = 1_000_000
const linesMax = 1_000
// An address without a known key.
const walletHex = 'd0'.repeat(20)
// What the wallet begins with: a million USDT.
const walletStartMicro = 1_000_000_000_000n
/** Not a real token, so that the console links no block explorer. */
export const demoToken = toAddress('d1'.repeat(20))

/** Opens both on a free port. `usdtContract` is the address of the token. */
export async function openChain(
  usdtContract: string,
  { irreversibleAfterMs = irreversibleAfterDefaultMs, clock = systemClock, file }: ChainOptions = {},
): Promise<DemoChain> {
  const contract = addressBytes(usdtContract) ?? ''
  const wallet = walletHex
  const transactions = new ChainTransactions({ contract, wallet, clock, irreversibleAfterMs, file })

  /** The response to a list of an account's transfers; undefined for an unknown path. */
  function list(url: string): object | undefined {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const account = accountIn(pathname)
    return account === undefined ? undefined : accountPage(transactions.irreversible(), account, searchParams)
  }

  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy())
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const path = request.url ?? ''
    if (path === '/') {
      const typed = new URLSearchParams(body).get('lines') ?? ''
      const lines = typed.split('\n').filter((line) => line.trim() !== '' && !/^address\b/i.test(line))
      const html = walletPage(
        lines.slice(0, linesMax).map((line) => payLine(transactions, line)),
        irreversibleAfterMs,
      )
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
      return
    }
    const found = request.method === 'POST' ? answer({ transactions, contract }, path, body) : list(path)
    response
      .writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(found ?? { Error: 'no such call' }))
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    walletAddress: toAddress(walletHex),
    send(address, amountMicro) {
      const to = addressBytes(address)
      if (to === undefined) throw new Error(`${address} is no TRC20 address`)
      return transactions.pay(to, amountMicro)
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Sends what a line of the wallet's page says. */
function payLine(transactions: ChainTransactions, text: string): WalletLine {
  const [address = '', amount = '', reference = ''] = text.trim().split(/[\s,;]+/)
  const [to, amountMicro] = [addressBytes(address), parseMicro(amount)]
  if (to === undefined) return { text, reference, problem: 'Not a TRC20 address' }
  if (amountMicro === undefined || amountMicro <= 0n) return { text, reference, problem: 'Not an amount' }
  return { text, reference, hash: transactions.pay(to, amountMicro) }
}

/** The response to a question about a transaction or the token; undefined for an unknown path. */
function answer(
  { transactions, contract }: { readonly transactions: ChainTransactions; readonly contract: string },
  path: string,
  body: string,
): object | undefined {
  if (path === '/wallet/triggerconstantcontract')
    return { result: { result: true }, constant_result: ['0'.repeat(64)] }
  if (path === '/walletsolidity/triggerconstantcontract') {
    const account = (textIn(body, 'parameter') ?? '').slice(-40)
    return balanceReply(
      transactions.irreversible(),
      account,
      contract,
      account === walletHex ? walletStartMicro : 0n,
    )
  }
  const isIrreversible = path === '/walletsolidity/gettransactioninfobyid'
  if (!isIrreversible && path !== '/wallet/gettransactioninfobyid') return undefined
  const found = transactions.find(textIn(body, 'value') ?? '')
  if (found === undefined || (isIrreversible && !transactions.isIrreversible(found))) return {}
  return receiptOf(found.hash, found.transfers, { at: new Date(found.atMs) })
}

/** Reads the body; throws beyond 1 MB. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) {
    body += String(chunk)
    if (body.length > bodyMax) throw new Error('The body is too large')
  }
  return body
}

/** A field of a JSON body; undefined when it is no text, or the body is no JSON. */
function textIn(body: string, field: string): string | undefined {
  try {
    const value = (JSON.parse(body) as Record<string, unknown> | null)?.[field]
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
