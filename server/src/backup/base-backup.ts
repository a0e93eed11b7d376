// The server's own base backup over the replication protocol: the server chooses the files, writes the label,
// waits for its checkpoint and adds the WAL that makes the copy consistent. We only store what it sends.
import { once } from 'node:events'
import pg from 'pg'

/** What the server sends, in this order: an archive's name, its bytes (tar), and at the end the manifest (JSON). */
export type BackupPart =
  | { readonly kind: 'archive'; readonly name: string }
  | { readonly kind: 'data'; readonly bytes: Buffer }
  | { readonly kind: 'manifest'; readonly bytes: Buffer }

export interface BaseBackupOptions {
  /** The folder of the server's socket, or its address. */
  readonly host: string
  /** Default 5432. */
  readonly port?: number
  /** How much the server may read in a second, so that traffic is not disturbed: 1 to 1,024 MB. */
  readonly megabytesPerSecond: number
}

// How much may wait in memory before the server has to wait.
const waitingBytesMax = 4 * 1024 * 1024

interface ReplicationConnection {
  readonly stream: { pause(): void; resume(): void; destroy(): void }
  query(text: string): void
}

/**
 * Takes a base backup of a running server; yields its parts as they come. Throws the server's error, and an error when
 * the connection breaks: then the parts so far are no backup.
 */
export async function* takeBaseBackup(options: BaseBackupOptions): AsyncGenerator<BackupPart> {
  const client = new pg.Client({
    host: options.host,
    port: options.port ?? 5_432,
    user: 'postgres',
    connectionTimeoutMillis: 5_000,
    application_name: 'tollgate-backup',
    // Not in pg's types: the connection uses the replication protocol.
    ...({ replication: 'true' } as object),
  })
  const copy = new CopyOut(
    `BASE_BACKUP (LABEL 'tollgate', CHECKPOINT 'fast', WAL, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256',
      MAX_RATE ${Math.round(options.megabytesPerSecond * 1024)})`,
  )
  client.on('error', (error) => copy.fail(error))
  client.on('end', () => copy.fail(new Error('The database ended the connection')))
  await client.connect()
  try {
    // Keeps the WAL since the start on the server, however long the copy takes. It is dropped with this connection.
    await client.query('CREATE_REPLICATION_SLOT tollgate_backup TEMPORARY PHYSICAL RESERVE_WAL')
    client.query(copy as unknown as pg.Submittable)
    yield* copy.parts()
    await client.end()
  } finally {
    // When the reader stops early, the server is still sending.
    ;(client as unknown as { connection: ReplicationConnection }).connection.stream.destroy()
  }
}

const nothing = () => undefined

/** A query whose response is a COPY; pg passes it each message of the protocol. */
class CopyOut {
  readonly #text: string
  readonly #waiting: BackupPart[] = []
  #waitingBytes = 0
  #isManifest = false
  #isDone = false
  #fault: Error | undefined
  #connection: ReplicationConnection | undefined
  readonly #events = new EventTarget()
  readonly handleRowDescription = nothing
  readonly handleDataRow = nothing
  readonly handleCommandComplete = nothing
  readonly handlePortalSuspended = nothing
  readonly handleEmptyQuery = nothing

  constructor(text: string) {
    this.#text = text
  }

  submit(connection: ReplicationConnection): void {
    this.#connection = connection
    connection.query(this.#text)
  }

  /** PostgreSQL's documentation, "Streaming Replication Protocol", BASE_BACKUP: the first byte says what follows. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // pg reuses the buffer.
    const bytes = Buffer.from(chunk.subarray(1))
    const kind = String.fromCharCode(chunk[0] ?? 0)
    if (kind === 'n') this.#add({ kind: 'archive', name: bytes.toString('utf8', 0, bytes.indexOf(0)) })
    else if (kind === 'd') this.#addData(bytes)
    else if (kind === 'm') this.#isManifest = true
  }

  #addData(bytes: Buffer): void {
    this.#add({ kind: this.#isManifest ? 'manifest' : 'data', bytes })
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes > waitingBytesMax) this.#connection?.stream.pause()
  }

  handleReadyForQuery(): void {
    this.#isDone = true
    this.#reportProgress()
  }

  handleError(error: Error): void {
    this.fail(error)
  }

  fail(error: Error): void {
    this.#fault ??= error
    this.#reportProgress()
  }

  #add(part: BackupPart): void {
    this.#waiting.push(part)
    this.#reportProgress()
  }

  #reportProgress(): void {
    this.#events.dispatchEvent(new Event('change'))
  }

  async *parts(): AsyncGenerator<BackupPart> {
    for (;;) {
      const part = this.#waiting.shift()
      if (part !== undefined) {
        yield part
        if ('bytes' in part) this.#waitingBytes -= part.bytes.length
        if (this.#waitingBytes <= waitingBytesMax / 2) this.#connection?.stream.resume()
        continue
      }
      if (this.#isDone) return
      if (this.#fault !== undefined) throw this.#fault
      await once(this.#events, 'change')
    }
  }
}
