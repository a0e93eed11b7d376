// The guard for every outgoing call to an address that somebody entered (SSRF): resolve, check, connect to the very
// address that was checked. Source: OWASP ASVS 5.0, 1.3.6, 13.2.4, 15.3.2.
import { lookup as systemLookup } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { callbackify } from 'node:util'
import { keptText } from '@tollgate/contract/kept-texts.ts'
import { Agent, request, type Dispatcher } from 'undici'
import { plainAddress } from '../addresses/network-of.ts'
import { causeOf } from './outside-causes.ts'

/** An address that may not be called: its scheme, or where its name leads to. Fit to show. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused'
}

/** The other side did not answer, or not as it should. Fit to show: the message tells of no private address which ports are open. */
export class OutsideFault extends Error {
  override readonly name = 'OutsideFault'
}

interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

export interface OutgoingCall {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A stream needs a content-length among the headers. */
  readonly body?: string | Buffer | Readable
  readonly timeoutMs: number
  /** The answer is cut off beyond it. */
  readonly limitBytes: number
  readonly signal?: AbortSignal
  /** Only the status and headers are needed: the body is read and dropped, up to the limit. */
  readonly isBodyUnread?: boolean
  /** With `isBodyUnread`: how much of the beginning of an answer that is no success is kept all the same. */
  readonly refusalBytes?: number
  /** Called with the size of the response as it grows; its promise is awaited before more is read. */
  readonly onSize?: (bytes: number) => Promise<void> | undefined
  /** The address comes from the operator's own environment, not from a screen: it may be anywhere. */
  readonly isConfigured?: boolean
}

export interface OutgoingAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Headers
  readonly body: Buffer
}

export interface Egress {
  /**
   * The addresses that a socket may be connected to, for a host as somebody entered it; at least one. Throws EgressRefused or
   * OutsideFault.
   */
  resolve(host: string): Promise<readonly [ResolvedAddress, ...ResolvedAddress[]]>
  /** An HTTP call. A redirect is an answer like any other: it is not followed. Throws EgressRefused or OutsideFault. */
  call(call: OutgoingCall): Promise<OutgoingAnswer>
  close(): Promise<void>
}

type DnsLookup = (host: string) => Promise<readonly { address: string; family: number }[]>

// What is not the public internet: IANA's special-purpose registries for IPv4 and IPv6.
const specialPurpose = blockListOf(
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
   192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
   ::/127 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16
   fc00::/7 fe80::/10 fec0::/10 ff00::/8`.split(/\s+/),
)

function blockListOf(list: readonly string[]): BlockList {
  const blocks = new BlockList()
  for (const item of list) {
    const [address = '', prefix] = item.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    blocks.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return blocks
}

const bareHost = (host: string) => host.replace(/^\[|\]$/g, '')

function isIn(blocks: BlockList, address: string): boolean {
  return blocks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

// More of them are not told apart.
const innerHostsMax = 10_000

const refusalText =
  'This address may not be called: only public addresses are allowed. An operator can allow others.'

/** `allow` holds the CIDRs of EGRESS_ALLOW. `lookup` is the system's, unless a test has another. */
export function createEgress(
  allow: readonly string[],
  lookup: DnsLookup = (host) => systemLookup(host, { all: true }),
): Egress {
  const allowed = blockListOf(allow)
  const isAllowed = (address: string) => isIn(allowed, address) || !isIn(specialPurpose, address)
  // The hosts that ever led to an address within the network, also while a later look-up says otherwise.
  const innerHosts = new Set<string>()

  async function addressesOf(host: string): Promise<readonly { address: string; family: number }[]> {
    const bare = bareHost(host)
    if (isIP(bare) !== 0) return [{ address: bare, family: isIP(bare) }]
    return lookup(bare).catch(() => {
      throw new OutsideFault('The host name cannot be resolved.')
    })
  }

  /** All addresses of a host that may be called, each judged for itself; at least one. */
  async function resolveAll(host: string, isConfigured: boolean): Promise<readonly ResolvedAddress[]> {
    const found = (await addressesOf(host)).map(({ address }) => plainAddress(address))
    const callable = isConfigured ? found : found.filter(isAllowed)
    if (callable.length === 0) throw new EgressRefused(refusalText)
    if (innerHosts.size < innerHostsMax && callable.some((address) => isIn(specialPurpose, address)))
      innerHosts.add(bareHost(host))
    return callable.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }))
  }

  // The connection resolves the name here, so there is no second look-up between the check and the connect.
  const agentFor = (isConfigured: boolean) =>
    new Agent({
      connect: {
        timeout: 10_000,
        // Node.js tries the addresses one after the other; all of them were checked.
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: 1_000,
        lookup: callbackify((host: string) => resolveAll(host, isConfigured)) as unknown as LookupFunction,
      },
    })
  const agents = { open: agentFor(false), configured: agentFor(true) }

  async function call(outgoing: OutgoingCall): Promise<OutgoingAnswer> {
    const url = URL.canParse(outgoing.url) ? new URL(outgoing.url) : undefined
    if (url === undefined || !/^https?:$/.test(url.protocol))
      throw new EgressRefused('This address may not be called: it must begin with http:// or https://.')
    const isConfigured = outgoing.isConfigured === true
    // A literal address is connected to without any look-up, so it is judged here.
    if (isIP(bareHost(url.hostname)) !== 0) await resolveAll(url.hostname, isConfigured)
    const deadline = AbortSignal.timeout(outgoing.timeoutMs)
    const signal = outgoing.signal === undefined ? deadline : AbortSignal.any([deadline, outgoing.signal])
    try {
      return await exchange(outgoing, isConfigured ? agents.configured : agents.open, signal)
    } catch (error) {
      const isInner = innerHosts.size === innerHostsMax || innerHosts.has(bareHost(url.hostname))
      throw asOutsideFault(error, deadline.aborted, isConfigured || !isInner)
    }
  }

  return {
    async resolve(host) {
      const [first, ...others] = await resolveAll(host, false)
      if (first === undefined) throw new EgressRefused(refusalText)
      return [first, ...others]
    },
    call,
    close: async () => void (await Promise.all([agents.open.destroy(), agents.configured.destroy()])),
  }
}

/** By undici's own request: fetch costs three times as much, and follows redirects. */
async function exchange(
  call: OutgoingCall,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<OutgoingAnswer> {
  const { statusCode, headers, body } = await request(call.url, {
    method: (call.method ?? 'GET') as Dispatcher.HttpMethod,
    // A compressed body could be of any size once it is unpacked.
    headers: { 'accept-encoding': 'identity', ...call.headers },
    body: call.body ?? null,
    signal,
    dispatcher,
  })
  const named = Object.entries(headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')] as [string, string],
  )
  return {
    status: statusCode,
    headers: new Headers(named),
    body:
      call.isBodyUnread === true
        ? await dropBody(body, statusCode, call, signal)
        : await readBody(body, call),
  }
}

type ResponseBody = Dispatcher.ResponseData['body']

/** Beyond the limit the connection is closed, and at the deadline behind a success; the status stands all the same. */
async function dropBody(
  body: ResponseBody,
  status: number,
  { limitBytes, refusalBytes = 0 }: OutgoingCall,
  signal: AbortSignal,
): Promise<Buffer> {
  if (refusalBytes === 0 || (status >= 200 && status < 300)) {
    try {
      await body.dump({ limit: limitBytes, signal })
    } catch {
      // The head accepts. What goes on behind it until the deadline is not waited for.
      body.on('error', () => undefined)
      body.destroy()
    }
    return Buffer.alloc(0)
  }
  const kept: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      const bytes = chunk as Buffer
      if (size < refusalBytes) kept.push(bytes.subarray(0, refusalBytes - size))
      size += bytes.length
      if (size > limitBytes) break
    }
  } catch (error) {
    // What breaks off after its status is an answer all the same; what stands still until the deadline is none.
    if (signal.aborted) throw error
  }
  return Buffer.concat(kept)
}

async function readBody(body: AsyncIterable<unknown>, call: OutgoingCall): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    const bytes = chunk as Buffer
    size += bytes.length
    // Leaving the loop destroys the body, which closes the connection.
    if (size > call.limitBytes)
      throw new OutsideFault(
        keptText('The answer is larger than {count} KiB.', { count: Math.round(call.limitBytes / 1024) }),
      )
    chunks.push(bytes)
    const wait = call.onSize?.(size)
    if (wait !== undefined) await wait
  }
  return Buffer.concat(chunks)
}

/**
 * One message for a closed port and a broken response: a user must not learn which ports are open within the network. Of a
 * public address anybody can find out, so there the cause is said; `isPublic`, for one from the operator's environment too.
 */
export function asOutsideFault(error: unknown, isLate: boolean, isPublic = false): Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof EgressRefused || cause instanceof OutsideFault) return cause
    if (isPubliclyRefused(cause)) return new OutsideFault(causeOf(cause) ?? unsaidText, { cause: error })
  }
  if (isLate) return new OutsideFault('The address did not answer in time.', { cause: error })
  const text = isPublic ? (causeOf(error) ?? 'The request could not be made.') : unsaidText
  return new OutsideFault(text, { cause: error })
}

const unsaidText =
  'The address cannot be reached, or its answer is not valid HTTP. Which of the two is not said of an address within the network.'

/** Whether every address that was tried is public and refused the connection. */
function isPubliclyRefused(error: Error): boolean {
  if (error instanceof AggregateError)
    return (
      error.errors.length > 0 &&
      error.errors.every((each) => each instanceof Error && isPubliclyRefused(each))
    )
  const { code, address } = error as NodeJS.ErrnoException & { readonly address?: string }
  return code === 'ECONNREFUSED' && address !== undefined && !isIn(specialPurpose, plainAddress(address))
}
