// The byte stream under a session. net/ implements it with a socket; tests with an array.

export interface Transport {
  /** Takes bytes in order. Returns true when they are written and the caller may reuse their memory. */
  write(bytes: Buffer): boolean
  /** Octets accepted by `write` that the operating system has not taken yet. */
  readonly unsentOctets: number
  pause(): void
  resume(): void
  /** Sends the rest and closes. */
  end(): void
  /** Closes at once. */
  destroy(): void
}
