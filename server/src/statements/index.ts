// Entry of the statements slice: the signed file with every record of a period, its archive and its check, and the PDF.
import type { BillingDeps } from '../billing/index.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import { bindStatementRoutes } from './routes.ts'
import { signStatements } from './sign-statements.ts'

export { bottom, drawFeet, drawTable, drawTotalRow, lineStep, margin, right, wrapStep } from './bill-table.ts'
export { day, instant, readable, wrapped } from './pdf-text.ts'
export { readFromArchive } from './store.ts'
export { verifyAgainst } from './verify-against.ts'
export { verifyFile } from './verify-file.ts'

export interface Statements {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
  /** Makes and signs the statements that are missing, as the job does every five seconds. */
  signStatements(): Promise<void>
}

/** Builds the slice. */
export function createStatements(deps: BillingDeps): Statements {
  return {
    routes: [bindOn(deps, bindStatementRoutes)],
    jobs: [{ name: 'sign-statements', everyMs: 5_000, run: (signal) => signStatements(deps, signal) }],
    signStatements: () => signStatements(deps),
  }
}
