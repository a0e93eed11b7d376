// A simulated upstream gateway, made with the npm package "smpp", that misbehaves as the test says.
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import smpp from 'smpp'
import { afterAll } from 'vitest'

/** What it does with the next socket. */
type Behaviour = 'accept' | 'wrong-password' | 'drop-after-bind' | 'silent' | 'garbage'

/** How it answers submit_sm. */
type Answering = 'well' | 'throttled' | 'full' | 'twice' | 'never' | 'with another command'

export interface StandInSmsc {
  readonly port: number
  behaviour: Behaviour
  answering: Answering
  /** Answers of the next submit_sm in order; then as `answering` says. */
  scripted: Answering[]
  /** Answers to all submit_sm for a destination, before everything else. */
  readonly answeringTo: Map<string, Answering>
  readonly binds: { readonly command: string; readonly fields: smpp.Pdu; readonly atMs: number }[]
  readonly submits: smpp.Pdu[]
  /** When each of them came. */
  readonly submittedAtMs: number[]
  unbindCount: number
  /** Bound now. */
  readonly sessions: ReadonlySet<smpp.Session>
  /** Sends deliver_sm on the newest session and gives the answer's status. There is none when the session ends. */
  deliver(fields: object): Promise<number>
  /** Writes a deliver_sm octet by octet as given on the newest session, and gives the answer's status. */
  deliverRaw(octets: Buffer): Promise<number>
  /** Cuts all sockets without unbind. */
  drop(): void
  /** Reads nothing more of what comes on the sockets there are; it goes on sending. */
  stopReading(): void
  /** The message_id of the next submit_sm_resp. */
  nextMessageId: string
  /** Those of the next ones before that. */
  readonly messageIds: string[]
}

interface SmscOptions {
  /** Speaks TLS with it. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** Opens it on a free port until the test file ends. */
export async function openSmsc({ tls }: SmscOptions = {}): Promise<StandInSmsc> {
  const sessions = new Set<smpp.Session>()
  const sockets = new Set<Socket>()
  const binds: StandInSmsc['binds'] = []
  const submits: smpp.Pdu[] = []
  const submittedAtMs: number[] = []
  const inner = smpp.createServer((session) => {
    session.on('error', () => undefined)
    session.on('close', () => sessions.delete(session))
    for (const command of ['bind_transceiver', 'bind_transmitter', 'bind_receiver'])
      session.on(command, (pdu) => {
        binds.push({ command, fields: pdu, atMs: Date.now() })
        if (standIn.behaviour === 'wrong-password') {
          session.send(pdu.response({ command_status: 0x0e }))
          return
        }
        sessions.add(session)
        session.send(pdu.response({ system_id: 'standin' }))
        if (standIn.behaviour === 'drop-after-bind') setTimeout(() => standIn.drop(), 50)
      })
    session.on('submit_sm', (pdu) => {
      submits.push(pdu)
      submittedAtMs.push(performance.now())
      answerSubmit(session, pdu, standIn)
    })
    session.on('enquire_link', (pdu) => session.send(pdu.response()))
    session.on('unbind', (pdu) => {
      standIn.unbindCount += 1
      session.send(pdu.response())
    })
  })
  inner.listen(0, '127.0.0.1')
  await once(inner, 'listening')
  const outer = openFront(inner, sockets, () => standIn.behaviour, tls)
  outer.listen(0, '127.0.0.1')
  await once(outer, 'listening')
  const standIn: StandInSmsc = {
    port: (outer.address() as AddressInfo).port,
    behaviour: 'accept',
    answering: 'well',
    scripted: [],
    answeringTo: new Map(),
    binds,
    submits,
    submittedAtMs,
    sessions,
    unbindCount: 0,
    nextMessageId: 'a1',
    messageIds: [],
    deliver(fields) {
      const session = [...sessions].at(-1)
      if (session === undefined) throw new Error('nobody is bound')
      return new Promise((settle) => session.deliver_sm(fields, (pdu) => settle(pdu.command_status)))
    },
    deliverRaw: (octets) => deliverRaw([...sessions].at(-1), octets),
    drop: () => sockets.forEach((socket) => socket.destroy()),
    stopReading: () => sockets.forEach((socket) => socket.unpipe().pause()),
  }
  afterAll(() => {
    standIn.drop()
    outer.close()
    inner.close()
  })
  return standIn
}

function deliverRaw(session: smpp.Session | undefined, octets: Buffer): Promise<number> {
  if (session === undefined) throw new Error('nobody is bound')
  const sequence = octets.readUInt32BE(12)
  return new Promise((settle) => {
    const onPdu = (pdu: smpp.Pdu) => {
      if (pdu['sequence_number'] !== sequence || !pdu.command.endsWith('_resp')) return
      session.off('pdu', onPdu)
      settle(pdu.command_status)
    }
    session.on('pdu', onPdu)
    session.socket.write(octets)
  })
}

/** The sockets that peers see: what they send reaches the gateway behind only when it behaves. */
function openFront(
  behind: smpp.Server,
  sockets: Set<Socket>,
  behaviour: () => Behaviour,
  tls: SmscOptions['tls'],
): Server {
  const onSocket = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    if (behaviour() === 'silent') socket.resume()
    else if (behaviour() === 'garbage') socket.resume().write('HTTP/1.1 400 Bad Request\r\n\r\n')
    else {
      const inside = connect(behind.address().port, '127.0.0.1')
      inside.on('error', () => undefined)
      socket.pipe(inside).pipe(socket)
      socket.on('close', () => inside.destroy())
    }
  }
  return tls === undefined ? createServer(onSocket) : createTlsServer(tls, onSocket)
}

const busyStatuses: Partial<Record<Answering, number>> = { throttled: 0x58, full: 0x14 }

function answerSubmit(session: smpp.Session, pdu: smpp.Pdu, standIn: StandInSmsc): void {
  const answering =
    standIn.answeringTo.get(String(pdu['destination_addr'])) ?? standIn.scripted.shift() ?? standIn.answering
  const status = busyStatuses[answering]
  const answer = pdu.response(
    status === undefined
      ? { message_id: standIn.messageIds.shift() ?? standIn.nextMessageId }
      : { command_status: status },
  )
  if (answering === 'with another command')
    session.send(new smpp.PDU('data_sm_resp', { sequence_number: pdu['sequence_number'] }))
  else if (answering !== 'never') session.send(answer)
  if (answering === 'twice') session.send(answer)
}
