// The file for the wallet. Batch tools for TRC20 read lines of address and amount, with a dot before the decimals and no
// thousands separator. Most ignore further columns; those that send everything in one transaction take nothing else.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { RunLine } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { csvReply } from '../files/formats/csv.ts'
import type { StreamReply } from '../http/handlers.ts'
import type { BillingDeps } from '../billing/index.ts'
import { findRun } from './run-views.ts'

/** How the file names a line, and how its hash comes back. */
const lineReference = (runId: string, lineId: string): string => `run-${runId}-${lineId}`

/** Amounts are exact: a transfer of another amount is matched to nothing. Throws Refusal not_found and wrong_state. */
export async function writeRunFile(
  { db }: BillingDeps,
  id: string,
  form: 'csv' | 'multisend',
): Promise<StreamReply> {
  const run = await findRun(db, id)
  if (run === undefined) throw new Refusal('not_found', 'There is no such payment run.')
  if (run.status !== 'exported')
    throw new Refusal(
      'wrong_state',
      run.status === 'closed' || run.status === 'cancelled'
        ? 'This run has ended. Its file would pay a second time.'
        : 'Export the run first: two persons must have approved it.',
    )
  // What is paid already would be paid twice.
  const lines = run.lines.filter(({ state }) => state === 'waiting')
  const cells = (line: RunLine) => [line.usdtAddress, line.amount, lineReference(id, line.id)]
  if (form === 'csv')
    return csvReply(`payment-run-${id}.csv`, ['address', 'amount', 'reference'], onePage(lines.map(cells)))
  const text = lines.map((line) => `${cells(line).slice(0, 2).join(',')}\n`).join('')
  return {
    contentType: 'text/plain; charset=utf-8',
    fileName: `payment-run-${id}-multisend.txt`,
    stream: onePage(text),
  }
}

// oxlint-disable-next-line typescript/require-await -- a download is an async generator of its parts
async function* onePage<Page>(page: Page): AsyncGenerator<Page> {
  yield page
}
