// Looks through a .xlsx (a ZIP archive) before anything opens it: sizes are measured by unpacking and throwing away.
import { createInflateRaw } from 'node:zlib'
import { importLimits, tooLarge, unreadable } from './limits.ts'
import type { Refusal } from '@tollgate/contract/errors.ts'

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const endBytes = 22
const entryBytes = 46
const localBytes = 30
const stored = 0
const deflated = 8

interface Entry {
  readonly name: string
  readonly method: number
  readonly packedBytes: number
  readonly unpackedBytes: number
  readonly headerAt: number
}

const damaged = (): Refusal =>
  unreadable('This file is damaged. Save it again as .xlsx or .csv.', 'The file is damaged')
const bomb = (): Refusal => tooLarge('This file unpacks to far more than it seems. Save it again as .csv.')
const notAWorkbook = (): Refusal =>
  unreadable('This file is not an Excel workbook. Save it as .xlsx or .csv.', 'Not an Excel workbook')

/**
 * Checks that the archive is a workbook within {@link importLimits} whose directory tells the truth, and that no part
 * declares a DTD (external entities, entity bombs). Throws Refusal.
 */
export async function checkWorkbook(content: Buffer): Promise<void> {
  const entries = directory(content)
  const names = new Set(entries.map(({ name }) => name))
  const isWorkbook = names.has('[Content_Types].xml') && names.has('xl/workbook.xml')
  // The reader would take an archive with one of these for another kind of document.
  if (!isWorkbook || names.has('META-INF/manifest.xml') || names.has('objectdata.xml')) throw notAWorkbook()
  const unpackedBytes = entries.reduce((sum, entry) => sum + entry.unpackedBytes, 0)
  if (unpackedBytes > importLimits.unpackedBytes) throw bomb()
  if (unpackedBytes > content.length * importLimits.unpackedRatio) throw bomb()
  for (const entry of entries) await checkEntry(content, entry)
}

function directory(content: Buffer): Entry[] {
  const endAt = content.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (endAt < 0 || endAt + endBytes > content.length) throw damaged()
  if (content.readUInt32LE(endAt) !== endSignature) throw damaged()
  const count = content.readUInt16LE(endAt + 10)
  if (count > importLimits.archiveEntries) throw bomb()
  const entries: Entry[] = []
  let at = content.readUInt32LE(endAt + 16)
  for (let index = 0; index < count; index += 1) {
    if (at + entryBytes > endAt || content.readUInt32LE(at) !== entrySignature) throw damaged()
    const nameBytes = content.readUInt16LE(at + 28)
    entries.push({
      name: content.toString('utf8', at + entryBytes, at + entryBytes + nameBytes),
      method: content.readUInt16LE(at + 10),
      packedBytes: content.readUInt32LE(at + 20),
      unpackedBytes: content.readUInt32LE(at + 24),
      headerAt: content.readUInt32LE(at + 42),
    })
    at += entryBytes + nameBytes + content.readUInt16LE(at + 30) + content.readUInt16LE(at + 32)
  }
  return entries
}

async function checkEntry(content: Buffer, entry: Entry): Promise<void> {
  const { headerAt, method, packedBytes, unpackedBytes } = entry
  if (headerAt + localBytes > content.length || content.readUInt32LE(headerAt) !== localSignature)
    throw damaged()
  // The reader goes by the local header, so it must say the same as the directory.
  if (content.readUInt16LE(headerAt + 8) !== method) throw damaged()
  const start =
    headerAt + localBytes + content.readUInt16LE(headerAt + 26) + content.readUInt16LE(headerAt + 28)
  if (start + packedBytes > content.length) throw damaged()
  const packed = content.subarray(start, start + packedBytes)
  if (method === stored) {
    if (packedBytes !== unpackedBytes) throw damaged()
    refuseDtd(packed)
  } else if (method === deflated) {
    await measure(packed, unpackedBytes)
  } else {
    throw damaged()
  }
}

/** Unpacks chunk by chunk, keeps nothing, and stops at the first byte more than declared. */
async function measure(packed: Buffer, declaredBytes: number): Promise<void> {
  const inflate = createInflateRaw({ chunkSize: 64 * 1024 })
  inflate.end(packed)
  let measuredBytes = 0
  let tail: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      measuredBytes += chunk.length
      if (measuredBytes > declaredBytes) throw bomb()
      // A mark may lie across two chunks.
      refuseDtd(Buffer.concat([tail, chunk]))
      tail = chunk.subarray(-longestMark)
    }
  } catch (error) {
    throw error instanceof Error && 'code' in error && String(error.code).startsWith('Z_') ? damaged() : error
  } finally {
    inflate.destroy()
  }
  if (measuredBytes !== declaredBytes) throw damaged()
}

const marks = ['<!DOCTYPE', '<!ENTITY'].map((mark) => Buffer.from(mark))
const longestMark = 8

function refuseDtd(chunk: Buffer): void {
  if (marks.some((mark) => chunk.includes(mark)))
    throw unreadable(
      'This file declares a document type, which is not accepted.',
      'Document types are not accepted',
    )
}
