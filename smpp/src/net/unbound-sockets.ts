// Caps the sockets whose bind has not arrived. Whoever floods loses their own first, and a peer that is just about to
// bind is left the time for it.
import type { Socket } from 'node:net'

export interface UnboundLimits {
  /** Silent sockets in all, and of one address; beyond it the one that is silent longest goes. */
  readonly max: number
  readonly perAddressMax: number
  /** A socket that sent something less than so long ago, or is younger, is not cut for the two limits above. */
  readonly silentMs: number
  /** Sockets of any age, in all and of one address: memory and descriptors end somewhere. Beyond it the oldest goes. */
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

interface Entry {
  readonly socket: Socket
  readonly key: string
  /** What it had sent when it was looked at last, and since when nothing more has come. */
  octets: number
  silentSinceMs: number
}

/** Keeps the sockets that have sent no bind within {@link UnboundLimits}. Times are ms of any one clock. */
export class UnboundSockets {
  readonly #limits: UnboundLimits
  // Sets keep the order of insertion; one that sent something is put last, so the first is silent longest.
  readonly #all = new Set<Entry>()
  readonly #byAddress = new Map<string, Set<Entry>>()
  readonly #crowded = new Set<Set<Entry>>()
  readonly #entryOf = new Map<Socket, Entry>()

  constructor(limits: UnboundLimits) {
    this.#limits = limits
  }

  /** Whether there are more than may be silent: then `sweep` from time to time. */
  get isCrowded(): boolean {
    return this.#crowded.size > 0 || this.#all.size > this.#limits.max
  }

  /** Counts a socket in. Gives the one that must go for it at once, if any. */
  add(socket: Socket, address: string, nowMs: number): Socket | undefined {
    const key = addressKey(address)
    const entry: Entry = { socket, key, octets: 0, silentSinceMs: nowMs }
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

  /** Counts a socket out: its bind has arrived, or it closed. */
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

  /** Counts out, and gives, those beyond the limits that are silent for long enough. */
  sweep(nowMs: number): Socket[] {
    const gone: Socket[] = []
    for (const ofAddress of this.#crowded) this.#sweep(ofAddress, this.#limits.perAddressMax, nowMs, gone)
    this.#sweep(this.#all, this.#limits.max, nowMs, gone)
    return gone
  }

  /** Each turn cuts one, puts one last that has just been heard, or ends; so a sweep ends. */
  #sweep(entries: Set<Entry>, max: number, nowMs: number, gone: Socket[]): void {
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

  #putLast(entry: Entry): void {
    for (const entries of [this.#all, this.#byAddress.get(entry.key)]) {
      entries?.delete(entry)
      entries?.add(entry)
    }
  }

  /** Where one must go whatever its age: among its own where the address has more than its share, else among all. */
  #overfull(ofAddress: Set<Entry>): Set<Entry> | undefined {
    const { hardMax, hardPerAddressMax, perAddressMax } = this.#limits
    if (ofAddress.size > hardPerAddressMax) return ofAddress
    if (this.#all.size <= hardMax) return undefined
    return ofAddress.size > perAddressMax ? ofAddress : this.#all
  }
}

/** What counts as one address: an IPv4 address, or the /64 that one IPv6 customer holds. Loopbacks stay apart. */
export function addressKey(address: string): string {
  if (!address.includes(':') || address === '::1') return address
  const [head = ''] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  return [...groups, '0', '0', '0', '0'].slice(0, 4).join(':')
}
