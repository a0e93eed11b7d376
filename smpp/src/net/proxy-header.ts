// The PROXY protocol, versions 1 and 2 (https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt): the header by which
// a balancer names the peer of a connection that it forwards. Pure functions of bytes.
import { isIPv4, isIPv6 } from 'node:net'

/** Where a connection came from, as the balancer saw it. */
export interface ProxiedOrigin {
  /** An IPv4 address, or an IPv6 address in its shortest form. */
  readonly address: string
  readonly port: number
}

/**
 * `partial`: more bytes are needed. `header`: the first `octets` bytes are the header; without an origin (version 1
 * UNKNOWN, version 2 LOCAL, or a family other than IP) the connection counts as the balancer's own. `invalid`: these
 * bytes cannot become a header.
 */
type ProxyHeader =
  | { readonly kind: 'partial' }
  | { readonly kind: 'header'; readonly octets: number; readonly origin: ProxiedOrigin | undefined }
  | { readonly kind: 'invalid'; readonly reason: string }

// Version 1 is a line of at most 107 octets, its end included.
const lineOctetsMax = 107
const lineStart = Buffer.from('PROXY ', 'latin1')
const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const fixedOctets = 16
// The variable part of version 2: addresses and parameters. Client certificates make it long, but no balancer sends the
// 64 KiB that its length field allows.
const variableOctetsMax = 4_096

/** The size limit of a header, and so of the bytes to keep while waiting for one. */
export const proxyHeaderOctetsMax = fixedOctets + variableOctetsMax

const partial: ProxyHeader = { kind: 'partial' }

/** Reads the header at the start of `bytes`, which are all that came so far. Never throws. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (isStartOf(bytes, signature)) return bytes.length < fixedOctets ? partial : readBinary(bytes)
  if (isStartOf(bytes, lineStart)) return readLine(bytes)
  return invalid('it begins with neither form of the header')
}

/** Whether `bytes` begin with `prefix`, or with a part of it when they are shorter. */
function isStartOf(bytes: Buffer, prefix: Buffer): boolean {
  const octets = Math.min(bytes.length, prefix.length)
  return bytes.compare(prefix, 0, octets, 0, octets) === 0
}

function invalid(reason: string): ProxyHeader {
  return { kind: 'invalid', reason }
}

const addressTests: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['TCP4', isIPv4],
  // A zone (`%eth0`) has a meaning only on the balancer.
  ['TCP6', (text: string) => isIPv6(text) && !text.includes('%')],
])

function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, lineOctetsMax).indexOf('\r\n')
  if (end < 0) {
    return bytes.length < lineOctetsMax ? partial : invalid(`no line end within ${lineOctetsMax} octets`)
  }
  const octets = end + 2
  const [, family, source = '', destination = '', sourcePort = '', destinationPort = '', ...rest] = bytes
    .toString('latin1', 0, end)
    .split(' ')
  // The rest of the line after UNKNOWN is to be ignored.
  if (family === 'UNKNOWN') return { kind: 'header', octets, origin: undefined }
  const isAddress = addressTests.get(family ?? '')
  if (isAddress === undefined) return invalid('the family is none of TCP4, TCP6 and UNKNOWN')
  if (rest.length > 0 || !isAddress(source) || !isAddress(destination))
    return invalid('the addresses are not two of the family')
  const [port, ownPort] = [portOf(sourcePort), portOf(destinationPort)]
  if (port === undefined || ownPort === undefined) return invalid('a port is none')
  return { kind: 'header', octets, origin: { address: shortest(source), port } }
}

function portOf(text: string): number | undefined {
  if (!/^(0|[1-9]\d{0,4})$/.test(text)) return undefined
  const port = Number(text)
  return port <= 65_535 ? port : undefined
}

function readBinary(bytes: Buffer): ProxyHeader {
  const versionAndCommand = bytes.readUInt8(12)
  const family = bytes.readUInt8(13) >> 4
  const transport = bytes.readUInt8(13) & 0x0f
  const variableOctets = bytes.readUInt16BE(14)
  const command = versionAndCommand & 0x0f
  if (versionAndCommand >> 4 !== 2) return invalid('the version is not 2')
  if (command > 1) return invalid('the command is neither LOCAL nor PROXY')
  if (variableOctets > variableOctetsMax) return invalid(`longer than ${proxyHeaderOctetsMax} octets`)
  const octets = fixedOctets + variableOctets
  if (bytes.length < octets) return partial
  // LOCAL is the balancer's own connection, such as a health check; families 0 and 3 are not IP.
  if (command === 0 || family === 0 || family === 3) return { kind: 'header', octets, origin: undefined }
  if (family > 3 || transport !== 1) return invalid('it is not of a TCP connection')
  const addressOctets = family === 1 ? 4 : 16
  if (variableOctets < 2 * addressOctets + 4) return invalid('the addresses do not fit its length')
  const source = bytes.subarray(fixedOctets, fixedOctets + addressOctets)
  const address = family === 1 ? source.join('.') : textOfIPv6(source)
  return {
    kind: 'header',
    octets,
    origin: { address, port: bytes.readUInt16BE(fixedOctets + 2 * addressOctets) },
  }
}

function textOfIPv6(octets: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, at) => octets.readUInt16BE(2 * at).toString(16))
  return shortest(groups.join(':'))
}

/** One text for each address: an IPv4 address mapped into IPv6 becomes plain IPv4. */
function shortest(address: string): string {
  if (isIPv4(address)) return address
  const text = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(text)
  if (mapped === null) return text
  const [high, low] = [parseInt(mapped[1] ?? '', 16), parseInt(mapped[2] ?? '', 16)]
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}
