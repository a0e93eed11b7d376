// Caps the sockets that have not bound: whoever floods loses their own oldest first.
import type { Socket } from 'node:net'

/** Keeps at most `max` unbound sockets in all and `perAddressMax` of one address. */
export class UnboundSockets {
  readonly #max: number
  readonly #perAddressMax: number
  // Sets keep the order of insertion, so the first is the oldest.
  readonly #all = new Set<Socket>()
  readonly #byAddress = new Map<string, Set<Socket>>()
  readonly #keyOf = new Map<Socket, string>()

  constructor(max: number, perAddressMax: number) {
    this.#max = max
    this.#perAddressMax = perAddressMax
  }

  /** Counts a socket in. Gives those that must go for it, oldest first. */
  add(socket: Socket, address: string): Socket[] {
    const key = addressKey(address)
    const ofAddress = this.#byAddress.get(key) ?? new Set()
    this.#byAddress.set(key, ofAddress)
    ofAddress.add(socket)
    this.#all.add(socket)
    this.#keyOf.set(socket, key)
    const [oldest] =
      ofAddress.size > this.#perAddressMax ? ofAddress : this.#all.size > this.#max ? this.#all : []
    if (oldest === undefined) return []
    this.remove(oldest)
    return [oldest]
  }

  /** Counts a socket out: it has bound, or closed. */
  remove(socket: Socket): void {
    const key = this.#keyOf.get(socket)
    if (key === undefined) return
    this.#keyOf.delete(socket)
    this.#all.delete(socket)
    const ofAddress = this.#byAddress.get(key)
    ofAddress?.delete(socket)
    if (ofAddress?.size === 0) this.#byAddress.delete(key)
  }
}

/** What counts as one address: an IPv4 address, or the /64 that one IPv6 customer holds. Loopbacks stay apart. */
export function addressKey(address: string): string {
  if (!address.includes(':') || address === '::1') return address
  const [head = ''] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  return [...groups, '0', '0', '0', '0'].slice(0, 4).join(':')
}
