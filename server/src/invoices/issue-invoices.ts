// Issues invoices for the bills and payouts of closed cycles, and credit notes for what was taken off a bill. A job
// does it after the close, in batches. Each batch is one transaction that gives numbers and writes invoices, so a node
// that is killed leaves no gap, and the next run continues (decision 72).
import { setInvoices } from '../billing/index.ts'
import type { InvoiceKind } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import { lock } from '../platform/locks/locks.ts'
import { transaction } from '../platform/transaction.ts'
import type { InvoiceDeps } from './deps.ts'
import { findEntity } from './entity-store.ts'
import {
  findWithoutInvoices,
  insertCreditNotes,
  insertInvoices,
  lockCycle,
  wordingOf,
  type InvoiceBatch,
} from './issue-store.ts'
import { prefixOf } from './number-format.ts'

type IssueDeps = Pick<InvoiceDeps, 'db' | 'clock' | 'invoices'>

// Some 30 ms of PostgreSQL: the followers of the log see nothing newer while a transaction that writes is open.
const invoicesPerBatch = 1_000

/**
 * Issues all invoices that are due. Nothing is due before the own company has a legal entity; a client's invoices wait for that of
 * the client. May run twice, on any number of nodes, and be interrupted.
 */
export async function issueInvoices(deps: IssueDeps, signal?: AbortSignal): Promise<void> {
  const { db, invoices } = deps
  if ((await findEntity(db, 'own')) === undefined) return
  for (;;) {
    const cycleId = await findWithoutInvoices(db, await invoices.from.get(db))
    if (cycleId === undefined) break
    while (await issueForCycle(deps, cycleId)) if (signal?.aborted === true) return
  }
  while (await issueCreditNotes(deps)) if (signal?.aborted === true) return
}

/** Issues a batch of invoices of a cycle; false when it was the last one. */
function issueForCycle(deps: IssueDeps, cycleId: number): Promise<boolean> {
  return inTurn(deps, 'invoice', async (tx, batch) => {
    if (!(await lockCycle(tx, cycleId))) return false
    if ((await insertInvoices(tx, cycleId, batch)) === batch.limit) return true
    await setInvoices(tx, cycleId, batch.at)
    return false
  })
}

function issueCreditNotes(deps: IssueDeps): Promise<boolean> {
  return inTurn(
    deps,
    'credit_note',
    async (tx, batch) => (await insertCreditNotes(tx, batch)) === batch.limit,
  )
}

/** Runs `issue` while nobody else gives numbers. The time is read then, so numbers are in the order of time. */
function inTurn(
  { db, clock, invoices }: IssueDeps,
  kind: InvoiceKind,
  issue: (tx: Db, batch: InvoiceBatch) => Promise<boolean>,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    await lock(tx, 'invoiceNumbers')
    const company = await findEntity(tx, 'own')
    if (company === undefined) return false
    const at = clock.now()
    const year = at.getUTCFullYear()
    return issue(tx, {
      at,
      year,
      prefix: prefixOf(await invoices.formats[kind].get(tx), year),
      company,
      wordings: await wordingsOf(tx, invoices),
      limit: invoicesPerBatch,
    })
  })
}

async function wordingsOf(
  tx: Db,
  { selfBillingWords, reverseChargeWords, reverseCharge }: IssueDeps['invoices'],
): Promise<InvoiceBatch['wordings']> {
  const rule = await reverseCharge.get(tx)
  const selfBilling = await selfBillingWords.get(tx)
  const all = [selfBilling, await reverseChargeWords.get(tx)]
  const wording = (words: readonly string[]) =>
    wordingOf(
      tx,
      words.filter((text) => text !== ''),
    )
  return {
    domestic: await wording(rule === 'always' ? all : [selfBilling]),
    crossBorder: await wording(rule === 'never' ? [selfBilling] : all),
  }
}
