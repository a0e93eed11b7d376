// Minimal SMPP for load generators: PDUs built by hand, and only headers of responses read, which takes little processor.
import net from 'node:net'

export const submitSm = 0x00000004
export const submitSmResp = 0x80000004
export const enquireLink = 0x00000015
export const unbind = 0x00000006
/** Added to the command_id of a request it gives that of the response. */
export const responseBit = 0x80000000
const headerOctets = 16

export function pdu(command: number, sequence: number, body: Buffer): Buffer {
  const header = Buffer.alloc(headerOctets)
  header.writeUInt32BE(headerOctets + body.length, 0)
  header.writeUInt32BE(command, 4)
  header.writeUInt32BE(sequence, 12)
  return Buffer.concat([header, body])
}

const text = 'Your code is 123456. Do not share it with anybody; it is valid for ten minutes only.'

/** The body of a submit_sm; both addresses are the digits of international numbers. */
export function submitBody(destination: string, source = '447700900318'): Buffer {
  return Buffer.concat([
    Buffer.from(`\0\x01\x01${source}\0\x01\x01${destination}\0`, 'latin1'),
    Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, text.length]),
    Buffer.from(text, 'latin1'),
  ])
}

/** Calls `visit` with command_id and offset of each whole PDU; returns the bytes after the last one. */
export function eachPdu(bytes: Buffer, visit: (command: number, at: number) => void): Buffer | undefined {
  let at = 0
  while (bytes.length - at >= headerOctets) {
    const length = bytes.readUInt32BE(at)
    if (bytes.length - at < length) break
    visit(bytes.readUInt32BE(at + 4), at)
    at += length
  }
  return at < bytes.length ? bytes.subarray(at) : undefined
}

export interface BindCredentials {
  readonly port: number
  readonly systemId: string
  readonly password: string
}

/** Binds as a transceiver on this machine; rejects when the bind is refused or the link breaks before its answer. */
export async function bindTransceiver({ port, systemId, password }: BindCredentials): Promise<net.Socket> {
  const socket = net.connect({ host: '127.0.0.1', port, noDelay: true })
  try {
    return await answered(socket, systemId, password)
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function answered(socket: net.Socket, systemId: string, password: string): Promise<net.Socket> {
  const broken = new Promise<never>((_, reject) => {
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('The link closed before the bind was answered')))
  })
  // Handled by the races below; after the bind the caller handles a broken link.
  broken.catch(() => undefined)
  const bindCommand = 0x00000009
  await Promise.race([broken, new Promise((settle) => socket.once('connect', settle))])
  socket.write(pdu(bindCommand, 1, Buffer.from(`${systemId}\0${password}\0\0\x34\0\0\0`, 'latin1')))
  const answer = await Promise.race([broken, new Promise<Buffer>((settle) => socket.once('data', settle))])
  const status = answer.readUInt32BE(8)
  if (status !== 0) throw new Error(`The bind was refused with status ${status}`)
  return socket
}
