// How the drill `money` reaches the product: over HTTP as staff and clients, and again after each kill until it gets an
// answer. Payments leave the wallet of the stand-in of a TRON node.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  moneyReads,
  type Product,
  type ProductAnswer,
  type MoneyPerson,
  type TransferFault,
} from '../test/money/random-debts.ts'
import { benchPassword } from '../test/http/operator.ts'
import type { TronNode } from '../test/stand-ins/serve-tron-node.ts'
import type { Db } from '../src/platform/db.ts'
import { addressBytes, toAddress } from '../src/rates/index.ts'

export const usdtContract = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const walletHex = '33'.repeat(20)
export const walletAddress = toAddress(walletHex)
/** The account of each role. The gateway makes the admin at its first start. */
const names = { support: 'money-support', second: 'money-second', admin: 'bench-admin' }
export const supportNames = [names.support, names.second]

// A busy machine may take minutes to start the gateway again, and how fast it does is no part of the verdict.
const patienceMinutes = 10
const answerMaxMs = 60_000

export interface DrillProduct extends Product {
  /** Good transfers since the last call. */
  takeSent(): string[]
  /** How many calls were begun. */
  readonly callCount: number
  /** How many of them a kill left without an answer. */
  readonly unansweredCount: number
}

/** Calls in people's names, again until there is an answer of the product itself. */
class Caller {
  callCount = 0
  unansweredCount = 0
  readonly #url: string
  readonly #sessions = new Map<string, Promise<string>>()

  constructor(url: string) {
    this.#url = url
  }

  async call(person: MoneyPerson, method: string, path: string, body?: object): Promise<ProductAnswer> {
    const name = typeof person === 'number' ? `client${person}` : names[person]
    const key = randomUUID()
    this.callCount += 1
    let wasTried = false
    let fault: unknown
    const endsAtMs = performance.now() + patienceMinutes * 60_000
    for (; performance.now() < endsAtMs; await sleep(100)) {
      try {
        const answer = await this.#ask(name, { method, path, body, key })
        const isLate = answer.status === 401 || answer.body?.code === 'reauthenticate'
        if (isLate) this.#sessions.delete(name)
        else if (answer.status >= 500) wasTried = true
        else if (answer.status !== 429) return { ...answer, wasTried }
        fault = JSON.stringify(answer)
      } catch (error) {
        // Killed before, during or after what it was asked to do.
        if (!wasTried) this.unansweredCount += 1
        wasTried = true
        fault = error
      }
    }
    throw new Error(`${method} ${path} got no answer for ${patienceMinutes} min: ${String(fault)}`)
  }

  async #ask(
    name: string,
    { method, path, body, key }: { method: string; path: string; body: object | undefined; key: string },
  ) {
    const cookie = await (this.#sessions.get(name) ?? this.#signIn(name))
    const answer = await this.#fetch(method, path, { cookie, 'idempotency-key': key }, body)
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as { code?: string }) }
  }

  #signIn(name: string): Promise<string> {
    const session = (async () => {
      const answer = await this.#fetch('POST', '/api/login', {}, { username: name, password: benchPassword })
      if (!answer.ok) throw new Error(`${name} cannot sign in: ${answer.status} ${await answer.text()}`)
      await answer.arrayBuffer()
      return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    })()
    this.#sessions.set(name, session)
    session.catch(() => this.#sessions.delete(name))
    return session
  }

  #fetch(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Response> {
    return fetch(`${this.#url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin: this.#url, ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerMaxMs),
    })
  }
}

export function openProduct({ url, db, node }: { url: string; db: Db; node: TronNode }): DrillProduct {
  const caller = new Caller(url)
  const contract = addressBytes(usdtContract) ?? ''
  let count = 0
  let sent: string[] = []

  function send(to: string, amountMicro: bigint, fault?: TransferFault): string {
    const hash = (count += 1).toString(16).padStart(64, '0')
    const transfer = {
      contract: fault === 'token' ? '66'.repeat(20) : contract,
      from: fault === 'stranger' ? '77'.repeat(20) : walletHex,
      to: addressBytes(to) ?? '',
      amountMicro,
    }
    const at = fault === 'early' ? new Date(Date.now() - 30 * 86_400_000) : new Date()
    node.mine(hash, [transfer], { at, ...(fault === 'reverted' && { result: 'REVERT' }) })
    if (fault === undefined) sent.push(hash)
    return hash
  }

  return {
    call: (...asked) => caller.call(...asked),
    send,
    newAddress: () => toAddress(`bb${(count += 1).toString(16).padStart(38, '0')}`),
    takeSent() {
      const taken = sent
      sent = []
      return taken
    },
    get callCount() {
      return caller.callCount
    },
    get unansweredCount() {
      return caller.unansweredCount
    },
    ...moneyReads(db),
  }
}
