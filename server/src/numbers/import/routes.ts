import { Readable } from 'node:stream'
import type { numbersRoutes } from '@tollgate/contract/numbers.ts'
import type { Handlers } from '../../platform/http/handlers.ts'
import { callerOf, type NumbersDeps } from '../deps.ts'
import { createImporter } from './service.ts'
import { templateOf } from './template.ts'

type ImportRoutes = Pick<typeof numbersRoutes, 'importPremiumNumbers' | 'downloadTemplate'>

export function importHandlers(deps: NumbersDeps): Handlers<ImportRoutes> {
  const importer = createImporter(deps)
  return {
    importPremiumNumbers({ query, body }, context) {
      const source = context.file === undefined ? { data: body.data } : { file: context.file }
      const options = { isDryRun: query.dryRun === 'true', signal: context.signal }
      return importer.run(source, options, callerOf(context))
    },
    async downloadTemplate({ params }) {
      const { contentType, fileName, content } = templateOf(params.format)
      return { contentType, fileName, stream: Readable.from([content]) }
    },
  }
}
