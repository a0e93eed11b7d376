// What every place that takes CDR files has in common.
import { createHash } from 'node:crypto'

/** A file on this node's disk that is to be delivered under a name. */
export interface Upload {
  readonly name: string
  readonly path: string
  readonly sizeBytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

/** An open way to a destination, for the files of one turn. */
export interface DestinationSession {
  /** Delivers a file: under its name there is nothing, or what was there before, until all of it is there. */
  put(upload: Upload): Promise<void>
  /** Reads back what is there under a name; gives its SHA-256 in hexadecimal. */
  hashOf(name: string, sizeBytes: number): Promise<string>
  /** Removes a file of a test; it need not be allowed. */
  remove(name: string): Promise<void>
  close(): Promise<void>
}

/** The SHA-256 of such parts, in hexadecimal. */
export async function hashOfParts(parts: AsyncIterable<unknown>): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of parts) hash.update(part as Buffer)
  return hash.digest('hex')
}

/** A delivery failed. The message says why and what fixes it, and is fit to show to staff. */
export class DeliveryFault extends Error {
  override readonly name = 'DeliveryFault'
}

/** An SFTP server showed another host key than the schedule has. */
export class HostKeyFault extends DeliveryFault {
  readonly hostKey: string

  constructor(message: string, hostKey: string) {
    super(message)
    this.hostKey = hostKey
  }
}
