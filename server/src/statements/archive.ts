// The archive of statements: the lines of the records, whole and compressed, in pieces. Then those of messages that were
// released or refused. The lines before and after are in the statement's own row. Written while a statement is signed; read once the records themselves are gone.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { sql } from 'kysely'
import type { Db } from '../platform/db.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** About a megabyte. Two writers make equal pieces, so either may be kept. */
const recordsPerPiece = 5_000

interface Piece {
  readonly cycleId: number
  readonly userId: number
  readonly piece: number
  readonly content: Buffer
}

// Most clients have one small piece, so many are written at once.
const piecesPerInsert = 100
const bytesPerInsert = 1_048_576

/** Writes pieces, many at once. */
export class PieceWriter {
  readonly #db: Db
  #pieces: Piece[] = []
  #size = 0

  constructor(db: Db) {
    this.#db = db
  }

  async add(piece: Piece): Promise<void> {
    this.#pieces.push(piece)
    this.#size += piece.content.length
    if (this.#pieces.length >= piecesPerInsert || this.#size >= bytesPerInsert) await this.flush()
  }

  /** Writes what waits. A statement's pieces must be there before the statement says that it is archived. */
  async flush(): Promise<void> {
    const pieces = this.#pieces
    if (pieces.length === 0) return
    this.#pieces = []
    this.#size = 0
    await sql`insert into statement_archives (cycle_id, user_id, piece, content)
      select * from unnest(${pieces.map(({ cycleId }) => cycleId)}::int[],
        ${pieces.map(({ userId }) => userId)}::int[], ${pieces.map(({ piece }) => piece)}::int[],
        ${pieces.map(({ content }) => content)}::bytea[])
      on conflict (cycle_id, user_id, piece) do update set content = excluded.content`.execute(this.#db)
  }
}

/** Archives the records of one statement, and takes the SHA-256 of its file on the way. */
export class StatementArchive {
  readonly #writer: PieceWriter
  readonly #cycleId: number
  readonly #userId: number
  readonly #hash = createHash('sha256')
  #lines: string[] = []
  #piece = 0
  /** When the first record was received. */
  firstRecordAtMs: number | undefined

  constructor(writer: PieceWriter, cycleId: number, userId: number) {
    this.#writer = writer
    this.#cycleId = cycleId
    this.#userId = userId
  }

  /** Whether the next lines are to be written out with {@link flush} first. */
  get isFull(): boolean {
    return this.#lines.length >= recordsPerPiece
  }

  /** Adds text before or after the records to the file's hash; it is not archived itself. */
  mark(text: string): void {
    this.#hash.update(text)
  }

  addRecord(line: string, atMs: number): void {
    this.firstRecordAtMs ??= atMs
    this.addLine(line)
  }

  /** A line that is no record; the records before it are flushed with `isLast`, so that it begins a piece. */
  addLine(line: string): void {
    this.#lines.push(line)
  }

  /** Hands on whole pieces; with `isLast` also the last one. Compressing runs beside the event loop. */
  async flush(isLast: boolean): Promise<void> {
    while (this.#lines.length >= recordsPerPiece || (isLast && this.#lines.length > 0)) {
      const text = `${this.#lines.splice(0, recordsPerPiece).join('\n')}\n`
      this.mark(text)
      const content = await compress(text)
      await this.#writer.add({ cycleId: this.#cycleId, userId: this.#userId, piece: this.#piece, content })
      this.#piece += 1
    }
  }

  /** The file's SHA-256; nothing can be added after it. */
  finish(): Buffer {
    return this.#hash.digest()
  }
}

const piecesOf = (count: number) => Math.ceil(count / recordsPerPiece)

interface ArchivedCounts {
  readonly record_count: string
  readonly decided_count: string
}

/** The record lines of an archived statement, a piece at a time. Throws when a piece is missing. */
export function archivedLines(
  db: Db,
  cycleId: number,
  userId: number,
  { record_count: count }: ArchivedCounts,
): AsyncGenerator<string[]> {
  return readPieces(db, { cycleId, userId, from: 0, to: piecesOf(Number(count)) })
}

/** The lines after the records: of messages that were released or refused. Throws when a piece is missing. */
export function decidedLines(
  db: Db,
  cycleId: number,
  userId: number,
  { record_count: before, decided_count: count }: ArchivedCounts,
): AsyncGenerator<string[]> {
  const from = piecesOf(Number(before))
  return readPieces(db, { cycleId, userId, from, to: from + piecesOf(Number(count)) })
}

async function* readPieces(
  db: Db,
  { cycleId, userId, from, to }: { cycleId: number; userId: number; from: number; to: number },
): AsyncGenerator<string[]> {
  for (let piece = from; piece < to; piece += 1) {
    const found = await db
      .selectFrom('statement_archives')
      .select('content')
      .where((eb) => eb.and({ cycle_id: cycleId, user_id: userId, piece }))
      .executeTakeFirst()
    if (found === undefined)
      throw new Error(`Statement ${cycleId}-${userId} lacks piece ${piece} of its archive`)
    yield (await decompress(found.content)).toString('utf8').trimEnd().split('\n')
  }
}
