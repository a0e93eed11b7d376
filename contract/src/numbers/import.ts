// The imports of numbers that were made, and undoing one. Making one is in numbers.ts.
import { z } from 'zod'
import { idParams, idSchema, pageQuery } from '../fields.ts'
import { routes } from '../route.ts'
import { headerLineSchema, importColumns, importUpload } from './numbers.ts'
import { importKeepReasons, importStates } from '../vocabulary.ts'

const numberImportSchema = z.object({
  id: idSchema,
  /** Empty for pasted text. */
  fileName: z.string(),
  importedBy: z.string(),
  importedAt: z.string(),
  /** Lines of the file, the header not counted. */
  lineCount: z.int(),
  /** Numbers that it added; the other lines were in the list already. */
  addedCount: z.int(),
  state: z.enum(importStates),
  undoneBy: z.string(),
  undoneAt: z.string().nullable(),
  /** Numbers that undoing it has removed. */
  removedCount: z.int(),
})
export type NumberImport = z.infer<typeof numberImportSchema>

const keptNumbersSchema = z.object({
  reason: z.enum(importKeepReasons),
  count: z.int(),
  numbers: z.array(z.string()),
})
const importDetailSchema = numberImportSchema.extend({
  /** Numbers that undoing it would remove now: nothing has happened to them since. */
  removableCount: z.int(),
  /** Numbers that stay, by the first reason that fits: how many, and the first 20 of them. */
  kept: z.array(keptNumbersSchema),
})
export type KeptNumbers = z.infer<typeof keptNumbersSchema>
export type NumberImportDetail = z.infer<typeof importDetailSchema>

const fileColumnSchema = z.object({
  /** What the header calls it; empty without one. */
  name: z.string(),
  /** Its first values. */
  samples: z.array(z.string()),
  /** What it is taken for; null when nobody knows. */
  column: z.enum(importColumns).nullable(),
})
const fileColumnsSchema = z.object({
  columns: z.array(fileColumnSchema),
  /** The line that names the columns, below a title perhaps; 0 when none does. */
  headerLine: z.int(),
  /** The first lines that are not empty, as texts to choose from. */
  firstLines: z.array(z.object({ line: z.int(), text: z.string() })),
})
export type FileColumn = z.infer<typeof fileColumnSchema>
export type FileColumns = z.infer<typeof fileColumnsSchema>

export const numberImportsRoutes = routes({
  readImportColumns: {
    method: 'POST',
    path: '/api/premium-numbers/import/columns',
    summary:
      'The columns of an import file with their first values, and what each is taken for. With `headerLine`, by the names in that line.',
    access: 'numbersManagement',
    query: z.object({ headerLine: headerLineSchema.optional() }),
    ...importUpload,
    response: fileColumnsSchema,
  },
  listNumberImports: {
    method: 'GET',
    path: '/api/premium-numbers/imports',
    summary: 'The imports that added numbers, newest first.',
    access: 'numbersManagement',
    query: pageQuery,
    response: z.array(numberImportSchema),
    isPaged: true,
  },
  getNumberImport: {
    method: 'GET',
    path: '/api/premium-numbers/imports/{id}',
    summary: 'One import, with what undoing it would remove and what would stay.',
    access: 'numbersManagement',
    params: idParams,
    response: importDetailSchema,
    isHeavy: true,
    onReplica: 'current',
  },
  undoNumberImport: {
    method: 'POST',
    path: '/api/premium-numbers/imports/{id}/undo',
    summary:
      'Remove the numbers that an import added and that nothing has happened to since: nobody held them, no message came, nobody changed them.',
    access: 'numbersManagement',
    fresh: 'hour',
    isLong: true,
    params: idParams,
    response: importDetailSchema,
  },
})
