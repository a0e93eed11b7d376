// Entry of the invoices slice: legal entities; numbered invoices and credit notes.
import type { BillingDeps } from '../billing/index.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Settings } from '../settings/index.ts'
import type { InvoiceDeps } from './deps.ts'
import { issuePapers } from './issue-papers.ts'
import { bindPaperRoutes } from './paper-routes.ts'
import { definePaperSettings } from './paper-settings.ts'

export interface Invoices {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
  /** Issues the invoices and credit notes that are due, as the job does every five seconds. */
  issuePapers(): Promise<void>
}

/** Builds the slice. */
export function createInvoices(billing: BillingDeps, settings: Settings): Invoices {
  const deps: InvoiceDeps = { ...billing, papers: definePaperSettings(settings) }
  return {
    routes: [bindOn(deps, bindPaperRoutes)],
    jobs: [{ name: 'issue-papers', everyMs: 5_000, run: (signal) => issuePapers(deps, signal) }],
    issuePapers: () => issuePapers(deps),
  }
}
