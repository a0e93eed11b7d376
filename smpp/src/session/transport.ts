// The byte pipe under a session. net/ makes one of a socket; tests make one of an array.

export interface Transport {
  /** Takes bytes in order. True when they are out of the caller's hands and their memory may be used again. */
  write(bytes: Buffer): boolean
  /** Octets accepted by `write` that the peer's side has not taken yet. */
  readonly unsentOctets: number
  pause(): void
  resume(): void
  /** Sends what is left and closes. */
  end(): void
  /** Closes at once. */
  destroy(): void
}
