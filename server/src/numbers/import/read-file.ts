// An uploaded file as CSV text, whatever it is. What it is, its first bytes say, and its name must agree.
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Refusal } from '@tollgate/contract/errors.ts'
import { projectRoot } from '../../platform/project.ts'
import { checkWorkbook } from './archive.ts'
import { importHeader } from './columns.ts'
import { importLimits, tooLarge, unreadable } from './limits.ts'

export interface ImportFile {
  readonly name: string
  readonly content: Buffer
}

const zipStart = Buffer.from([0x50, 0x4b, 0x03, 0x04])
/** OLE2 compound file: .xls as Excel 97 to 2003 writes it. */
const oleStart = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])

type Kind = 'csv' | 'xlsx' | 'xls'

function kindOf(content: Buffer): Kind {
  if (content.subarray(0, zipStart.length).equals(zipStart)) return 'xlsx'
  return content.subarray(0, oleStart.length).equals(oleStart) ? 'xls' : 'csv'
}

/** The text of a .csv, or the first sheet of a .xlsx or .xls as CSV. Throws Refusal invalid or too_large. */
export async function readFile({ name, content }: ImportFile): Promise<string> {
  if (content.length > importLimits.uploadBytes)
    throw tooLarge('This file is larger than 5 MB. Import it in parts.')
  const kind = kindOf(content)
  const extension = /\.(csv|xlsx|xls)$/i.exec(name)?.[1]?.toLowerCase()
  if (extension !== kind)
    throw unreadable(
      extension === undefined
        ? 'Only .csv, .xlsx and .xls files can be imported.'
        : `This file is named .${extension} but is something else. Save it again as .csv or .xlsx.`,
      'The name and the content of the file do not agree',
    )
  if (kind === 'csv') return textOf(content)
  if (kind === 'xlsx') await checkWorkbook(content)
  return readSheet(content)
}

/** Throws Refusal invalid for anything but UTF-8 text. */
function textOf(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw unreadable('This file is not UTF-8 text. Save it as "CSV UTF-8".', 'Not UTF-8 text')
  }
}

const unreadableSheet = (): Refusal =>
  unreadable('This workbook cannot be read. Save it again as .xlsx or .csv.', 'Not a readable workbook')

// The sources are always there: migrations are read from them too.
const workerFile = join(projectRoot, 'server', 'src', 'numbers', 'import', 'sheet-worker.mjs')

async function readSheet(content: Buffer): Promise<string> {
  const worker = new Worker(workerFile, {
    // One column more than the header, so that a wider sheet is told.
    workerData: { content, linesMax: importLimits.lines, columnsMax: importHeader.length + 1 },
    resourceLimits: { maxOldGenerationSizeMb: importLimits.sheetHeapMb, maxYoungGenerationSizeMb: 32 },
    stdout: true,
    stderr: true,
  })
  let timeout: NodeJS.Timeout | undefined
  try {
    return await new Promise<string>((resolve, reject) => {
      timeout = setTimeout(() => reject(unreadableSheet()), importLimits.sheetTimeoutMs)
      worker.once('message', (bytes: Uint8Array) => resolve(Buffer.from(bytes.buffer).toString('utf8')))
      // A fault of the reader, or its memory limit: the file is to blame, not the gateway.
      worker.once('error', () => reject(unreadableSheet()))
      worker.once('exit', () => reject(unreadableSheet()))
    })
  } finally {
    clearTimeout(timeout)
    await worker.terminate()
  }
}
