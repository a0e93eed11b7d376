// A client on a bare socket: binds to receive, keeps what it gets, and answers as a test says.
import { expect } from 'vitest'
import type { AnyPdu, PduBody } from '@tollgate/smpp/pdu/registry.ts'
import type { Peer } from '@tollgate/smpp/testing/peer.ts'
import type { TestAccount, TestNode } from './gateway.ts'

type Deliver = Extract<AnyPdu, { command: 'deliver_sm' }>
type Answer = number | 'silence' | 'drop'

/** A client that binds, keeps what it gets and answers as the test says. */
export class Client {
  readonly taken: Deliver[] = []
  /** When each of them came, by performance.now(). */
  readonly takenAtMs: number[] = []
  readonly peer: Peer
  answer: (pdu: Deliver, nth: number) => Answer = () => 0
  isReading = true

  constructor(peer: Peer) {
    this.peer = peer
    void this.#run()
  }

  static async bound(
    node: TestNode,
    account: TestAccount,
    options: { mode?: 'receiver' | 'transceiver'; version?: number } = {},
  ): Promise<Client> {
    const { status, peer } = await node.tryBind(account.systemId, {
      mode: options.mode ?? 'receiver',
      interfaceVersion: options.version ?? 0x34,
    })
    if (status !== 0) throw new Error(`the bind was refused with ${status}`)
    return new Client(peer)
  }

  get texts(): string[] {
    return this.taken.map(({ body }) => body.shortMessage.toString('latin1'))
  }

  async until(count: number, patienceMs = 60_000): Promise<void> {
    await expect.poll(() => this.taken.length, { timeout: patienceMs }).toBeGreaterThanOrEqual(count)
  }

  async #run(): Promise<void> {
    while (!this.peer.isClosed) {
      const pdu = await this.peer.next(60_000).catch(() => undefined)
      if (pdu === undefined) return
      if (pdu.command !== 'deliver_sm') continue
      this.taken.push(pdu)
      this.takenAtMs.push(performance.now())
      const answer = this.answer(pdu, this.taken.length)
      if (answer === 'drop') this.peer.destroy()
      else if (answer !== 'silence') this.peer.send('deliver_sm_resp', pdu.sequence, {}, answer)
    }
  }
}

/** Submits one after the other and gives the ids; throws when one is refused. */
export async function submit(
  peer: Peer,
  destinationAddr: string,
  texts: readonly string[],
  fields: Partial<PduBody<'submit_sm'>> = {},
): Promise<string[]> {
  const ids: string[] = []
  for (const [at, text] of texts.entries()) {
    peer.send('submit_sm', 1_000 + at, {
      sourceAddr: '4915112345678',
      sourceAddrTon: 1,
      sourceAddrNpi: 1,
      destinationAddr,
      destAddrTon: 1,
      destAddrNpi: 1,
      shortMessage: Buffer.from(text),
      ...fields,
    })
    const answer = await peer.next()
    if (answer.command !== 'submit_sm_resp' || answer.status !== 0)
      throw new Error(`refused with ${answer.status}`)
    ids.push(answer.body.messageId)
  }
  return ids
}
