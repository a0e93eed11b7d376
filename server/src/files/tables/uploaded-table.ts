// Finds out the format of an import file: the first bytes decide, and the file's name must agree. files/tables reads it.
import { lineSchema } from '@tollgate/contract/fields.ts'
import { fileNameMax } from '@tollgate/contract/numbers/numbers.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { protectedWords, unreadable } from './faults.ts'
import { tableBounds, workbookBounds } from './bounds.ts'
import type { TableKind } from './reader-process.ts'
import type { TableSource } from './table-reader.ts'

export interface ImportFile {
  readonly name: string
  readonly content: Buffer
}

/** An import is text, pasted or of the file with this name, or a file. */
export type ImportSource =
  | { readonly data: string; readonly name: string }
  | { readonly file: ImportFile; readonly name: string }

/** What came with a call: a file, or the text of one. */
export function sourceOf(
  body: { readonly data: string; readonly fileName: string },
  file: ImportFile | undefined,
): ImportSource {
  return file === undefined
    ? { data: body.data, name: body.fileName }
    : { file, name: lineSchema(fileNameMax).catch('').parse(file.name) }
}

const zipStart = Buffer.from([0x50, 0x4b, 0x03, 0x04])
/** OLE2 compound file: .xls as Excel 97 to 2003 writes it. */
const oleStart = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])

/** The part of a compound file in which a .xlsx with a password is. */
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le')

function kindOf(content: Buffer): TableKind {
  if (content.subarray(0, zipStart.length).equals(zipStart)) return 'xlsx'
  return content.subarray(0, oleStart.length).equals(oleStart) ? 'xls' : 'csv'
}

/** The import as input of the table reader. Throws Refusal invalid when the file's name and its content differ. */
export function tableOf(source: ImportSource): TableSource {
  if ('data' in source) return { kind: 'csv', content: Buffer.from(source.data), bounds: tableBounds }
  const { name, content } = source.file
  const kind = kindOf(content)
  const extension = /\.(csv|xlsx|xls)$/i.exec(name)?.[1]?.toLowerCase()
  if (kind === 'xls' && content.includes(encryptedPackage)) throw unreadable(protectedWords)
  if (extension !== kind)
    throw unreadable(
      extension === undefined
        ? 'Only .csv, .xlsx and .xls files can be imported.'
        : sentence('This file is named .{extension} but is something else. Save it again as .csv or .xlsx.', {
            extension,
          }),
      'The name and the content of the file do not agree',
    )
  return { kind, content, bounds: kind === 'csv' ? tableBounds : workbookBounds }
}
