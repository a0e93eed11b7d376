// Under each attack on the SMPP port the messages of everybody else go on as in quiet.
import { once, setMaxListeners } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { encodeAlone } from '@tollgate/smpp/pdu/encode.ts'
import { withManyLoopbacks } from '@tollgate/smpp/testing/loopback.ts'
import { Peer } from '@tollgate/smpp/testing/peer.ts'
import { expectUndisturbed, openProbedGateway } from '../test/traffic/probed-gateway.ts'

const environment = await openProbedGateway()

interface Pair {
  readonly systemId: string
  readonly password: string
}

async function newPair(): Promise<Pair> {
  const { id } = await environment.person()
  return environment.admin('GET', `/api/users/${id}/smpp-credentials`)
}

async function bound({ systemId, password }: Pair): Promise<net.Socket> {
  const peer = await Peer.connect(environment.smppPort)
  peer.send('bind_transceiver', 1, { systemId, password, interfaceVersion: 0x34 })
  await peer.next()
  peer.socket.removeAllListeners('data')
  return peer.socket.resume()
}

/** Sends the same PDU without a pause but for a full socket, on one session after the other. */
async function flood(pair: Pair, pdu: Buffer, isOver: AbortSignal): Promise<void> {
  const chunk = Buffer.concat(Array<Buffer>(1_000).fill(pdu))
  while (!isOver.aborted) {
    const socket = await bound(pair).catch(() => undefined)
    if (socket === undefined) {
      await sleep(50)
      continue
    }
    isOver.addEventListener('abort', () => socket.destroy(), { once: true })
    const closed = once(socket, 'close')
    while (!socket.destroyed) {
      const isFull = !socket.write(chunk)
      await (isFull ? Promise.race([once(socket, 'drain'), closed]) : sleep(1))
    }
  }
}

test('floods of enquire_links, queries, stray answers and unreadable messages are not felt', async () => {
  const pdus = [
    encodeAlone('enquire_link', 0, 7, {}),
    encodeAlone('query_sm', 0, 7, { messageId: '00000000000000000000000001' }),
    encodeAlone('deliver_sm_resp', 0, 7, {}),
    encodeAlone('submit_sm', 0, 7, { sourceAddrTon: 99 }),
  ]
  const pairs = await Promise.all(pdus.map(newPair))
  await expectUndisturbed(environment, (isOver) => {
    setMaxListeners(0, isOver)
    return Promise.all(pairs.map((pair, at) => flood(pair, pdus[at] ?? Buffer.alloc(0), isOver)))
  })
})

await withManyLoopbacks('storms of binds and of sockets from other addresses', () => {
  test('a storm of binds with wrong passwords is not felt', async () => {
    const { systemId } = await newPair()
    const guess = encodeAlone('bind_transceiver', 0, 1, {
      systemId,
      password: 'guess',
      interfaceVersion: 0x34,
    })
    const guesser = async (isOver: AbortSignal) => {
      while (!isOver.aborted) {
        const socket = net.connect({
          host: '127.0.0.1',
          port: environment.smppPort,
          localAddress: '127.0.0.61',
        })
        isOver.addEventListener('abort', () => socket.destroy(), { once: true })
        socket.on('error', () => undefined).resume()
        socket.write(guess)
        // Whoever has no answer after a moment has guessed wrong and tries again.
        await Promise.race([once(socket, 'close'), sleep(200)])
        socket.destroy()
      }
    }
    await expectUndisturbed(environment, (isOver) => {
      setMaxListeners(0, isOver)
      return Promise.all(Array.from({ length: 50 }, () => guesser(isOver)))
    })
  })

  test('a flood of sockets that never bind is not felt', async () => {
    const dial = async (localAddress: string, isOver: AbortSignal) => {
      const sockets: net.Socket[] = []
      while (!isOver.aborted) {
        const socket = net.connect({ host: '127.0.0.1', port: environment.smppPort, localAddress })
        socket.on('error', () => undefined).resume()
        await Promise.race([once(socket, 'connect'), once(socket, 'close')])
        sockets.push(socket)
        // As fast as one process can open them without holding up the machine that both share.
        await sleep(5)
      }
      for (const socket of sockets) socket.destroy()
    }
    await expectUndisturbed(environment, (isOver) =>
      Promise.all(['127.0.0.62', '127.0.0.63', '127.0.0.64'].map((address) => dial(address, isOver))),
    )
  })
})
