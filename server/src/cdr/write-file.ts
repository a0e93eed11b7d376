// Writes a file to this node's disk before it is delivered, so that its size and hash are known, and a repeated delivery
// reads no records again.
import { createHash } from 'node:crypto'
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportColumn } from '@tollgate/contract/records/export-columns.ts'
import { writeRange, type RangeContent, type RangeDeps } from '../records/index.ts'
import { DeliveryFault } from './destinations/destination.ts'
import type { DueFile, WrittenFacts } from './store.ts'

/** A file that was written and waits on the disk. */
export interface WrittenFile extends WrittenFacts {
  readonly path: string
}

/** Throws RecordsGone, DeliveryFault when the disk is full, and what the database throws; nothing stays on the disk then. */
export async function writeFile(
  around: RangeDeps,
  folder: string,
  file: DueFile,
  signal: AbortSignal,
): Promise<WrittenFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${file.id}.${file.format}`)
  const { parts, summary } = writeRange(around, {
    range: rangeOf(file),
    clientId: file.clientId,
    gatewayId: file.gatewayId,
    format: file.format,
    columns: file.columns.split(',') as ExportColumn[],
  })
  const handle = await open(path, 'w', 0o600)
  try {
    const { sizeBytes, sha256 } = await pour(parts, handle, signal)
    return { path, summary, sizeBytes, sha256 }
  } catch (error) {
    await rm(path, { force: true })
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC'
      ? new DeliveryFault(
          'The disk of DATA_DIR is full: a file is written there before it is delivered. Make room.',
          {
            cause: error,
          },
        )
      : error
  } finally {
    await handle.close()
  }
}

function rangeOf({ fromXid, toXid, storedCount, periodFrom, periodTo }: DueFile): RangeContent['range'] {
  return fromXid === null || toXid === null
    ? { createdFrom: periodFrom, createdTo: periodTo }
    : { fromXid, toXid, storedCount: Number(storedCount) }
}

async function pour(
  parts: AsyncIterable<string | Buffer>,
  handle: FileHandle,
  signal: AbortSignal,
): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const part of parts) {
    signal.throwIfAborted()
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    hash.update(bytes)
    sizeBytes += bytes.length
    await handle.writeFile(bytes)
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** Writes a small text as such a file. */
export async function writeText(
  folder: string,
  name: string,
  text: string,
): Promise<{ readonly path: string; readonly sizeBytes: number; readonly sha256: string }> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, name)
  const bytes = Buffer.from(text)
  const handle = await open(path, 'w', 0o600)
  try {
    await handle.writeFile(bytes)
  } finally {
    await handle.close()
  }
  return { path, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}
