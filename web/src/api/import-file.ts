// Reads a chosen file: text can be shown before it is sent, a workbook only the server can read.

import { fileNameMax, importBytesMax } from '@tollgate/contract/numbers/numbers.ts'
import { t } from '../language/t.ts'

/** Pasted or chosen data, ready to be sent. */
export type ImportInput =
  | {
      readonly kind: 'text'
      readonly text: string
      /** Of its file; empty for pasted text. */
      readonly name: string
    }
  | { readonly kind: 'file'; readonly file: File; readonly name: string }

// Typing in a larger text area is slow, so such a file is sent without showing its text.
const shownBytesMax = 500_000

/** PK for .xlsx, D0CF for .xls. Some .xlsx files are in fact CSV text (Spec §9), so the name does not decide. */
function isWorkbook(head: Uint8Array): boolean {
  return (head[0] === 0x50 && head[1] === 0x4b) || (head[0] === 0xd0 && head[1] === 0xcf)
}

/** Reads a chosen file. Throws an Error with a text for people if it cannot be imported. */
export async function readImportFile(file: File): Promise<ImportInput> {
  const { name } = file
  if (!/\.(csv|xlsx|xls)$/i.test(name))
    throw new Error(t('{name} is not a .csv, .xlsx or .xls file. Choose one of these.', { name }))
  if (file.size === 0) throw new Error(t('{name} is empty. Choose a file with a header and lines.', { name }))
  // The server would refuse it only after the whole upload.
  if (file.size > importBytesMax)
    throw new Error(t('{name} is larger than 5 MB. Split it and import the parts.', { name }))
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  if (isWorkbook(head) || file.size > shownBytesMax) return { kind: 'file', file, name }
  return { kind: 'text', text: await file.text(), name }
}

/** The body for the import route: JSON for text, a form with the field `file` for a file. */
export function importBody(source: ImportInput): { data: string; fileName?: string } {
  if (source.kind === 'text')
    return { data: source.text, ...(source.name !== '' && { fileName: source.name.slice(-fileNameMax) }) }
  const form = new FormData()
  form.set('file', source.file)
  // call() sends a form unchanged; the route's schema describes only the JSON body.
  return form as unknown as { data: string }
}
