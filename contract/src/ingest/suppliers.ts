// What clients see instead of a supplier's name; staff choose it.
import { z } from 'zod'
import { lineSchema } from '../fields.ts'
import { routes } from '../route.ts'
import { recordSources } from '../vocabulary.ts'

const supplierKeySchema = z.object({
  source: z.enum(recordSources),
  /** The system_id of an account, or the name of a connection or a provider. */
  name: z.string().min(1).max(64),
})
export type SupplierKey = z.infer<typeof supplierKeySchema>

const supplierAliasSchema = z.object({
  /** What staff chose; empty: nothing. */
  chosen: z.string(),
  /** What clients see; empty before its first message, when nothing is chosen. */
  shown: z.string(),
})
export type SupplierAlias = z.infer<typeof supplierAliasSchema>

/** An empty alias takes the chosen one back. */
export const aliasSchema = lineSchema(64)

export const suppliersRoutes = routes({
  getSupplierAlias: {
    method: 'GET',
    path: '/api/suppliers/alias',
    summary: 'What clients see instead of the name of a bind, a connection or a provider.',
    access: 'interconnectionApi',
    query: supplierKeySchema,
    response: supplierAliasSchema,
  },
  setSupplierAlias: {
    method: 'PUT',
    path: '/api/suppliers/alias',
    summary:
      'Choose what clients see instead of that name, in older records too. Empty: the standard word again.',
    access: 'interconnectionApi',
    body: supplierKeySchema.extend({ alias: aliasSchema }),
    response: supplierAliasSchema,
  },
})
