import { suppliersRoutes } from '@tollgate/contract/ingest/suppliers.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import { readAlias, setAlias, type AliasDeps } from './alias.ts'

export function bindSuppliersRoutes(deps: AliasDeps): BoundRoutes {
  return bindRoutes(suppliersRoutes, {
    getSupplierAlias: ({ query }, { actor }) => readAlias(deps.db, query, actor),
    setSupplierAlias: ({ body }, { actor, ip }) => setAlias(deps, body, { actor, ip }),
  })
}
