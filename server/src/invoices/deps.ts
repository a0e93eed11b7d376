// What the functions of this slice work with.
import type { BillingDeps } from '../billing/index.ts'
import type { PaperSettings } from './paper-settings.ts'

export type InvoiceDeps = BillingDeps & { readonly papers: PaperSettings }
