// A stand-in for a TRON node: the one call that decides, its answers by transaction, and its kinds of failure.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { receiptOf, type ChainTransfer } from '../src/demo/chain.ts'
import { afterUse } from './harness.ts'

/** How the node fails: with status 200 for most faults, as real nodes do. */
type NodeFault = 'error' | 'plain text' | 'limit' | 'reset' | undefined

export interface TronNode {
  readonly url: string
  /** The requests that it got, with their API keys. */
  readonly requests: { path: string; hash: string; key: string | undefined }[]
  /** Puts a transaction into an irreversible block. */
  mine(hash: string, transfers: readonly ChainTransfer[], more?: { at?: Date; result?: string }): void
  /** Puts a transaction into a block that may still be undone. */
  announce(hash: string): void
  fail(fault: NodeFault): void
  /** Sets the time of the newest block; before it the node knows no blocks. */
  setNewestBlock(at: Date): void
  /** Makes USDT's contract refuse transfers to an account. */
  blacklist(account: string): void
}

/** Listens until the test, or the test file, that opened it ends. */
export async function openTronNode(): Promise<TronNode> {
  const known = new Map<string, object>()
  const announced = new Map<string, object>()
  const requests: TronNode['requests'] = []
  const blacklist = new Set<string>()
  let fault: NodeFault
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { value: hash = '', parameter = '' } = JSON.parse(body) as { value?: string; parameter?: string }
      const key = request.headers['tron-pro-api-key']
      requests.push({ path: request.url ?? '', hash, key: typeof key === 'string' ? key : undefined })
      if (fault === 'reset') request.socket.destroy()
      else if (fault === 'limit') response.writeHead(429).end()
      else if (fault === 'plain text') response.end('this API is unavailable on a lite node')
      else if (fault === 'error')
        response.end('{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}')
      else if (request.url === '/wallet/triggerconstantcontract')
        response.end(
          JSON.stringify({
            result: { result: true },
            constant_result: [(blacklist.has(parameter.slice(-40)) ? '1' : '').padStart(64, '0')],
          }),
        )
      else if (request.url === '/wallet/gettransactioninfobyid')
        response.end(JSON.stringify(known.get(hash) ?? announced.get(hash) ?? {}))
      else response.end(JSON.stringify(known.get(hash) ?? {}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterUse(() => new Promise((resolve) => server.close(resolve)))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    mine: (hash, transfers, { at = new Date(), result } = {}) =>
      void known.set(hash, receiptOf(hash, transfers, { at, result })),
    announce: (hash) =>
      void announced.set(hash, {
        id: hash,
        blockNumber: 990,
        blockTimeStamp: 0,
        receipt: { result: 'SUCCESS' },
      }),
    fail: (next) => void (fault = next),
    // The question about it names no hash.
    setNewestBlock: (at) =>
      void known.set('', { block_header: { raw_data: { number: 1_000, timestamp: at.getTime() } } }),
    blacklist: (account) => void blacklist.add(account),
  }
}
