// Entry of the invoices slice: legal entities; numbered invoices and credit notes.
import type { BillingDeps } from '../billing/index.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Settings } from '../settings/index.ts'
import type { InvoiceDeps } from './deps.ts'
import { issueInvoices } from './issue-invoices.ts'
import { bindInvoiceRoutes } from './invoice-routes.ts'
import { defineInvoiceSettings } from './invoice-settings.ts'

export interface Invoices {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
  /** Issues the invoices and credit notes that are due, as the job does every five seconds. */
  issueInvoices(): Promise<void>
}

/** Builds the slice. */
export function createInvoices(billing: BillingDeps, settings: Settings): Invoices {
  const deps: InvoiceDeps = { ...billing, invoices: defineInvoiceSettings(settings) }
  return {
    routes: [bindOn(deps, bindInvoiceRoutes)],
    jobs: [{ name: 'issue-invoices', everyMs: 5_000, run: (signal) => issueInvoices(deps, signal) }],
    issueInvoices: () => issueInvoices(deps),
  }
}
