// A stand-in for a TRON node: the call that decides, the list of an account's transfers, a balance, and its kinds of
// failure.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { receiptOf } from '../../src/programs/demo/chain.ts'
import {
  accountIn,
  accountPage,
  balanceReply,
  type ChainTransfer,
  type ListedTransaction,
} from '../../src/programs/demo/chain-account.ts'

/** How the node fails: with status 200 for most faults, as real nodes do. */
type NodeFault = 'error' | 'plain text' | 'limit' | 'reset' | 'nonsense' | undefined

/** What an account had before all transfers that were mined. */
const initialMicro = 10n ** 12n

interface MineOptions {
  readonly at?: Date
  readonly result?: string
  /** Whether the account's list has it; true by default. Nodes forget, or list late. */
  readonly isListed?: boolean
  /** Whether its receipt is there; true by default. Nodes list what they do not show yet, or lie. */
  readonly isShown?: boolean
  /** The transaction that its receipt is of; this one by default. Nodes mix answers up, or lie. */
  readonly receiptOf?: string
}

/** As tests have it, which do not stop it themselves. */
export type TronNode = Omit<Awaited<ReturnType<typeof serveTronNode>>, 'stop'>

/** Listens until it is stopped; for drills. Tests call `openTronNode`. */
export async function serveTronNode() {
  const known = new Map<string, object>()
  const listed = new Map<string, ListedTransaction>()
  const moved = new Map<string, ListedTransaction>()
  const announced = new Map<string, object>()
  // The requests that it got, with their API keys.
  const requests: { path: string; hash: string; key: string | undefined }[] = []
  const blacklist = new Set<string>()
  let fault: NodeFault

  function answer(
    path: string,
    { value: hash = '', parameter = '', contract_address: token = '' }: Question,
  ): object {
    const account = parameter.slice(-40)
    if (path === '/wallet/triggerconstantcontract')
      return {
        result: { result: true },
        constant_result: [(blacklist.has(account) ? '1' : '').padStart(64, '0')],
      }
    if (path === '/walletsolidity/triggerconstantcontract')
      return balanceReply([...moved.values()], account, token.slice(-40), initialMicro)
    if (path === '/wallet/gettransactioninfobyid') return known.get(hash) ?? announced.get(hash) ?? {}
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    const listedFor = accountIn(pathname)
    return listedFor === undefined
      ? (known.get(hash) ?? {})
      : accountPage([...listed.values()], listedFor, searchParams)
  }

  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const question = JSON.parse(body || '{}') as Question
      const key = request.headers['tron-pro-api-key']
      const path = request.url ?? ''
      requests.push({ path, hash: question.value ?? '', key: typeof key === 'string' ? key : undefined })
      if (fault === 'reset') request.socket.destroy()
      else if (fault === 'limit') response.writeHead(429, { 'retry-after': '30' }).end()
      else response.end(fault === undefined ? JSON.stringify(answer(path, question)) : wrongAnswers[fault])
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  /** Puts a transaction into an irreversible block. */
  function mine(hash: string, transfers: readonly ChainTransfer[], options: MineOptions = {}): void {
    const { at = new Date(), result, isListed = true, isShown = true, receiptOf: shown = hash } = options
    const transaction = { hash, atMs: at.getTime(), transfers }
    if (isShown) known.set(hash, receiptOf(shown, transfers, { at, result }))
    else known.delete(hash)
    if (isListed) listed.set(hash, transaction)
    if (isShown && result === undefined) moved.set(hash, transaction)
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    mine,
    /** Puts a transaction into a block that may still be undone. */
    announce: (hash: string) =>
      void announced.set(hash, {
        id: hash,
        blockNumber: 990,
        blockTimeStamp: 0,
        receipt: { result: 'SUCCESS' },
      }),
    fail: (next: NodeFault) => void (fault = next),
    /** Sets the time of the newest block; before it the node knows no blocks. The question about it names no hash. */
    setNewestBlock: (at: Date) =>
      void known.set('', { block_header: { raw_data: { number: 1_000, timestamp: at.getTime() } } }),
    /** Makes USDT's contract refuse transfers to an account. */
    blacklist: (account: string) => void blacklist.add(account),
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

const wrongAnswers = {
  'plain text': 'this API is unavailable on a lite node',
  nonsense: '{"success":true,"data":[{"transaction_id":7}]}',
  error: '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}',
}

interface Question {
  readonly value?: string
  readonly parameter?: string
  readonly contract_address?: string
}
