import { Readable } from 'node:stream'
import type { numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import { numberImportsRoutes } from '@tollgate/contract/numbers/import.ts'
import { bindRoutes, type BoundRoutes, type Handlers } from '../../http/handlers.ts'
import { callerOf, type NumbersDeps } from '../deps.ts'
import type { TableCaller } from '../../files/tables/table-reader.ts'
import { stripApostrophe } from '../../files/tables/apostrophe.ts'
import type { FileRow } from '../../files/tables/reader-process.ts'
import { guessColumns } from './columns.ts'
import { sourceOf, tableOf, type ImportSource } from '../../files/tables/uploaded-table.ts'
import { createImporter } from './service.ts'
import { pageOfImports, undoImport, viewImport } from './undo.ts'
import { templateOf } from './template.ts'

type ImportRoutes = Pick<typeof numbersRoutes, 'importPremiumNumbers' | 'downloadTemplate'>

export function importHandlers(deps: NumbersDeps): Handlers<ImportRoutes> {
  const importer = createImporter(deps)
  return {
    importPremiumNumbers({ query, body }, context) {
      const given = query.columns && { columns: query.columns, headerLine: query.headerLine }
      const options = { isDryRun: query.dryRun === 'true', given, signal: context.signal }
      return importer.run(sourceOf(body, context.file), options, callerOf(context), context.once)
    },
    async downloadTemplate({ params }) {
      const { contentType, fileName, content } = templateOf(params.format)
      return { contentType, fileName, stream: Readable.from([content]) }
    },
  }
}

// A title and notes above the header take a few lines.
const firstRowsMax = 20

/** The first lines of a file that are not empty. */
async function firstLines(
  { tables }: NumbersDeps,
  source: ImportSource,
  caller: TableCaller,
): Promise<FileRow[]> {
  const table = await tables.open(tableOf(source), caller)
  try {
    for await (const rows of table.rows())
      return rows
        .slice(0, firstRowsMax)
        .map(({ line, cells }) => ({ line, cells: cells.map((cell) => stripApostrophe(cell.trim())) }))
        .filter(({ cells }) => cells.some((cell) => cell !== ''))
    return []
  } finally {
    table.close()
  }
}

export function bindImportsRoutes(deps: NumbersDeps): BoundRoutes {
  return bindRoutes(numberImportsRoutes, {
    async readImportColumns({ query, body }, context) {
      const { actor } = callerOf(context)
      const caller = { userId: actor.userId, signal: context.signal }
      return guessColumns(await firstLines(deps, sourceOf(body, context.file), caller), query.headerLine)
    },
    listNumberImports: ({ query }) => pageOfImports(deps.db, query),
    getNumberImport: ({ params }) => viewImport(deps.db, params.id),
    undoNumberImport: ({ params }, context) => undoImport(deps, params.id, callerOf(context)),
  })
}
