// Waits for the header of a balancer before anything else is read from its socket.
import type { Socket } from 'node:net'
import { proxyHeaderOctetsMax, readProxyHeader, type ProxiedOrigin } from './proxy-header.ts'

/** The time-out of the header; balancers send it with the first TCP segment. */
const proxyHeaderMs = 5_000

/**
 * Reads the header and calls `onOrigin` once with the origin in it (none: the connection is the balancer's own). The
 * bytes after the header stay in the socket. Without a valid header it destroys the socket and calls `onRefused`,
 * except when the socket closed without sending a byte, as a balancer's health check does.
 */
export function readProxiedOrigin(
  socket: Socket,
  onOrigin: (origin: ProxiedOrigin | undefined) => void,
  onRefused: (reason: string) => void,
): void {
  let bytes = Buffer.alloc(0)
  const timer = setTimeout(() => refuse(`no whole header within ${proxyHeaderMs} ms`), proxyHeaderMs)
  const stop = (): void => {
    clearTimeout(timer)
    socket.off('readable', take)
    socket.off('close', closed)
  }
  const refuse = (reason: string): void => {
    stop()
    socket.destroy()
    onRefused(reason)
  }
  const closed = (): void => {
    stop()
    if (bytes.length > 0) onRefused('the socket closed within the header')
  }
  const take = (): void => {
    for (let chunk = read(); chunk !== null; chunk = read()) {
      bytes = Buffer.concat([bytes, chunk])
      const header = readProxyHeader(bytes)
      if (header.kind === 'partial') continue
      if (header.kind === 'invalid') return refuse(header.reason)
      stop()
      socket.unshift(bytes.subarray(header.octets))
      return onOrigin(header.origin)
    }
  }
  // Reads at most the size of one header; the rest stays in the socket.
  const read = (): Buffer | null => {
    const room = Math.min(socket.readableLength, proxyHeaderOctetsMax - bytes.length)
    return room > 0 ? (socket.read(room) as Buffer | null) : null
  }
  socket.on('readable', take)
  socket.on('close', closed)
}
