// Limits the sockets whose bind has not arrived. An address with many sockets loses its own first, and a new socket has
// some time to bind.
import type { Socket } from 'node:net'

export interface UnboundLimits {
  /** Silent sockets in all, and of one address; beyond it the one that has been silent longest is closed. */
  readonly max: number
  readonly perAddressMax: number
  /** The two limits above close only sockets that are older than this and have sent nothing for this time. */
  readonly silentMs: number
  /** Sockets of any age, in all and of one address, to bound memory and descriptors. Beyond it the oldest is closed. */
  readonly hardMax: number
  readonly hardPerAddressMax: number
}

export const defaultUnboundLimits: UnboundLimits = {
  max: 1_000,
  perAddressMax: 20,
  silentMs: 2_000,
  hardMax: 5_000,
  hardPerAddressMax: 1_000,
}

interface UnboundEntry {
  readonly socket: Socket
  readonly key: string
  /** The octets received at the last check, and since when no more have come. */
  octets: number
  silentSinceMs: number
}

/** Tracks the sockets that have sent no bind, within {@link UnboundLimits}. Times are ms of any one clock. */
export class UnboundSockets {
  readonly #limits: UnboundLimits
  // Sets keep the order of insertion. A socket that sent something is moved to the end, so the first is silent longest.
  readonly #all = new Set<UnboundEntry>()
  readonly #byAddress = new Map<string, Set<UnboundEntry>>()
  readonly #crowded = new Set<Set<UnboundEntry>>()
  readonly #entryOf = new Map<Socket, UnboundEntry>()

  constructor(limits: UnboundLimits) {
    this.#limits = limits
  }

  /** Whether a limit on silent sockets is exceeded: then `sweep` must be called regularly. */
  get isCrowded(): boolean {
    return this.#crowded.size > 0 || this.#all.size > this.#limits.max
  }

  /** Adds a socket. Returns the one that must be closed for it at once, if any. */
  add(socket: Socket, address: string, nowMs: number): Socket | undefined {
    const key = addressKey(address)
    const entry: UnboundEntry = { socket, key, octets: 0, silentSinceMs: nowMs }
    const ofAddress = this.#byAddress.get(key) ?? new Set()
    this.#byAddress.set(key, ofAddress)
    ofAddress.add(entry)
    this.#all.add(entry)
    this.#entryOf.set(socket, entry)
    if (ofAddress.size > this.#limits.perAddressMax) this.#crowded.add(ofAddress)
    const [oldest] = this.#overfull(ofAddress) ?? []
    if (oldest === undefined) return undefined
    this.remove(oldest.socket)
    return oldest.socket
  }

  /** Removes a socket: its bind has arrived, or it closed. */
  remove(socket: Socket): void {
    const entry = this.#entryOf.get(socket)
    if (entry === undefined) return
    this.#entryOf.delete(socket)
    this.#all.delete(entry)
    const ofAddress = this.#byAddress.get(entry.key)
    if (ofAddress === undefined) return
    ofAddress.delete(entry)
    if (ofAddress.size <= this.#limits.perAddressMax) this.#crowded.delete(ofAddress)
    if (ofAddress.size === 0) this.#byAddress.delete(entry.key)
  }

  /** Removes and returns the sockets beyond the limits that have been silent for long enough. */
  sweep(nowMs: number): Socket[] {
    const gone: Socket[] = []
    for (const ofAddress of this.#crowded) this.#sweep(ofAddress, this.#limits.perAddressMax, nowMs, gone)
    this.#sweep(this.#all, this.#limits.max, nowMs, gone)
    return gone
  }

  /** Each turn removes a socket, moves one that has sent something to the end, or returns; so the loop ends. */
  #sweep(entries: Set<UnboundEntry>, max: number, nowMs: number, gone: Socket[]): void {
    while (entries.size > max) {
      const [entry] = entries
      if (entry === undefined) return
      const octets = entry.socket.bytesRead
      if (octets !== entry.octets) {
        entry.octets = octets
        entry.silentSinceMs = nowMs
        this.#putLast(entry)
      } else {
        if (nowMs - entry.silentSinceMs < this.#limits.silentMs) return
        gone.push(entry.socket)
        this.remove(entry.socket)
      }
    }
  }

  #putLast(entry: UnboundEntry): void {
    for (const entries of [this.#all, this.#byAddress.get(entry.key)]) {
      entries?.delete(entry)
      entries?.add(entry)
    }
  }

  /** The set whose oldest must be closed: its address's own when that is over its share, else all; undefined: none. */
  #overfull(ofAddress: Set<UnboundEntry>): Set<UnboundEntry> | undefined {
    const { hardMax, hardPerAddressMax, perAddressMax } = this.#limits
    if (ofAddress.size > hardPerAddressMax) return ofAddress
    if (this.#all.size <= hardMax) return undefined
    return ofAddress.size > perAddressMax ? ofAddress : this.#all
  }
}

/** What counts as one address: an IPv4 address, or the /64 of one IPv6 customer. Loopback addresses are kept apart. */
export function addressKey(address: string): string {
  if (!address.includes(':') || address === '::1') return address
  const [head = ''] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  return [...groups, '0', '0', '0', '0'].slice(0, 4).join(':')
}
