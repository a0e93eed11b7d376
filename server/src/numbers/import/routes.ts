import { Readable } from 'node:stream'
import { lineSchema } from '@tollgate/contract/fields.ts'
import { fileNameMax, type numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import { numberImportsRoutes } from '@tollgate/contract/numbers/import.ts'
import { bindRoutes, type BoundRoutes, type Handlers } from '../../http/handlers.ts'
import { callerOf, type NumbersDeps } from '../deps.ts'
import { createImporter } from './service.ts'
import { pageOfImports, undoImport, viewImport } from './undo.ts'
import { templateOf } from './template.ts'

type ImportRoutes = Pick<typeof numbersRoutes, 'importPremiumNumbers' | 'downloadTemplate'>

export function importHandlers(deps: NumbersDeps): Handlers<ImportRoutes> {
  const importer = createImporter(deps)
  return {
    importPremiumNumbers({ query, body }, context) {
      const { file } = context
      const source =
        file === undefined
          ? { data: body.data, name: body.fileName }
          : { file, name: lineSchema(fileNameMax).catch('').parse(file.name) }
      const options = { isDryRun: query.dryRun === 'true', signal: context.signal }
      return importer.run(source, options, callerOf(context))
    },
    async downloadTemplate({ params }) {
      const { contentType, fileName, content } = templateOf(params.format)
      return { contentType, fileName, stream: Readable.from([content]) }
    },
  }
}

export function bindImportsRoutes(deps: NumbersDeps): BoundRoutes {
  return bindRoutes(numberImportsRoutes, {
    listNumberImports: ({ query }) => pageOfImports(deps.db, query),
    getNumberImport: ({ params }) => viewImport(deps.db, params.id),
    undoNumberImport: ({ params }, context) => undoImport(deps, params.id, callerOf(context)),
  })
}
