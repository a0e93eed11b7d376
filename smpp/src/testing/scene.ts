// For tests on sockets: an SMSC for each test, and peers that are closed after it.
import { afterEach } from 'vitest'
import type { ServerOptions } from '../net/server.ts'
import { startGateway, type TestGateway } from './gateway.ts'
import { Peer } from './peer.ts'

export interface Scene {
  /** The SMSC started last. */
  readonly gateway: TestGateway
  start(options?: Partial<ServerOptions<string>> & { holdAnswers?: boolean }): Promise<void>
  /** A peer that is connected. */
  dial(localAddress?: string): Promise<Peer>
  /** A peer that is bound. */
  bound(mode?: 'receiver' | 'transmitter' | 'transceiver'): Promise<Peer>
}

/** The smallest message that is accepted. */
export const message = { sourceAddr: '100', destAddrTon: 1, destAddrNpi: 1, destinationAddr: '4917012345' }

/** Sets this up for a test file; each test starts its own SMSC with `start`. */
export function openScene(): Scene {
  let gateway: TestGateway | undefined
  const peers: Peer[] = []
  const running = (): TestGateway => {
    if (gateway === undefined) throw new Error('the test has started no gateway')
    return gateway
  }
  const dial = async (localAddress?: string): Promise<Peer> => {
    const peer = await Peer.connect(running().server.port, localAddress)
    peers.push(peer)
    return peer
  }
  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.destroy()
    await gateway?.server.stop(200)
    gateway = undefined
  })
  return {
    get gateway() {
      return running()
    },
    async start(options = {}) {
      gateway = await startGateway(options)
    },
    dial,
    async bound(mode = 'transceiver') {
      const peer = await dial()
      await peer.bind(mode)
      return peer
    },
  }
}
