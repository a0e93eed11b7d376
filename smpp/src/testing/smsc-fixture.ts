// For tests on sockets: an SMSC for each test, and peers that are closed after it.
import { afterEach } from 'vitest'
import type { ServerOptions } from '../net/server.ts'
import { startTestSmsc, type TestSmsc } from './test-smsc.ts'
import { Peer } from './peer.ts'

export interface SmscFixture {
  /** The SMSC started last. */
  readonly smsc: TestSmsc
  start(options?: Partial<ServerOptions<string>> & { holdAnswers?: boolean }): Promise<void>
  /** A peer that is connected. */
  dial(localAddress?: string): Promise<Peer>
  /** A peer that is bound. */
  bound(mode?: 'receiver' | 'transmitter' | 'transceiver'): Promise<Peer>
}

/** The smallest message that is accepted. */
export const message = { sourceAddr: '100', destAddrTon: 1, destAddrNpi: 1, destinationAddr: '4917012345' }

/** Sets this up for a test file; each test starts its own SMSC with `start`. */
export function openSmscFixture(): SmscFixture {
  let smsc: TestSmsc | undefined
  const peers: Peer[] = []
  const running = (): TestSmsc => {
    if (smsc === undefined) throw new Error('the test has started no smsc')
    return smsc
  }
  const dial = async (localAddress?: string): Promise<Peer> => {
    const peer = await Peer.connect(running().server.port, localAddress)
    peers.push(peer)
    return peer
  }
  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.destroy()
    await smsc?.server.stop(200)
    smsc = undefined
  })
  return {
    get smsc() {
      return running()
    },
    async start(options = {}) {
      smsc = await startTestSmsc(options)
    },
    dial,
    async bound(mode = 'transceiver') {
      const peer = await dial()
      await peer.bind(mode)
      return peer
    },
  }
}
