// What the functions of this slice work with.
import type { BillingDeps } from '../billing/index.ts'
import type { InvoiceSettings } from './invoice-settings.ts'

export type InvoiceDeps = BillingDeps & { readonly invoices: InvoiceSettings }
