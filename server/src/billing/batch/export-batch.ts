// Everything that can be paid now, as a file for the wallet. Batch tools for TRC20 read lines of address and amount, with
// a dot before the decimals and no thousands separator. They ignore further columns.
import type { PaymentBatchRow } from '@tollgate/contract/treasury.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { csvReply } from '../../platform/formats/csv.ts'
import type { StreamReply } from '../../platform/http/handlers.ts'
import { addressBytes } from '../../rates/index.ts'
import { listUnpaid, type UnpaidRow } from './batch-store.ts'
import type { BillingDeps } from '../deps.ts'
import { isBlacklisted } from '../tron/tron-node.ts'

const rowsMax = 1_000
// A person waits for the list. An address that the node has not answered for in this time counts as not frozen.
const blacklistCheckMs = 8_000
const checksAtOnce = 5

/** Every unpaid bill and payout, oldest first, each with the reason why it cannot be paid now, if there is one. */
export async function listBatch(deps: BillingDeps): Promise<PaymentBatchRow[]> {
  const unpaid = await listUnpaid(deps.db, rowsMax)
  const now = deps.clock.now()
  const found = unpaid.map((row) => ({ row, problem: problemOf(row, now) }))
  const addresses = found.filter(({ problem }) => problem === '').map(({ row }) => row.usdt_address ?? '')
  const frozen = await frozenAmong(deps, [...new Set(addresses)])
  return found.map(({ row, problem }) => ({
    reference: row.reference,
    userId: row.user_id,
    userName: row.username,
    usdtAddress: row.usdt_address ?? '',
    amount: formatMicro(BigInt(row.due_micro), 2),
    problem:
      problem === '' && frozen.has(row.usdt_address ?? '')
        ? "USDT's contract has frozen this address: what is sent there is lost. Ask the client for another one."
        : problem,
  }))
}

function problemOf(row: UnpaidRow, now: Date): string {
  if (row.parked_reason !== null) return `The ledger does not balance. ${row.parked_reason}`
  if (row.usdt_address === null) return 'The client has not given a USDT address yet.'
  if (row.payable_from > now) return `It may be paid from ${row.payable_from.toISOString()}.`
  if (row.awaits_approval === true) return 'A payment of it waits for a second person.'
  if (row.verification === 'confirming') return 'A payment of it is being verified.'
  if (row.verification !== null) return 'A payment of another amount waits for a decision.'
  return ''
}

async function frozenAmong({ egress, tron }: BillingDeps, addresses: string[]): Promise<Set<string>> {
  const frozen = new Set<string>()
  if (tron === undefined) return frozen
  const endMs = performance.now() + blacklistCheckMs
  const left = [...addresses]
  const worker = async () => {
    for (let address = left.pop(); address !== undefined; address = left.pop()) {
      if (performance.now() > endMs) return
      const bytes = addressBytes(address)
      if (bytes !== undefined && (await isBlacklisted(egress, tron, bytes)) === true) frozen.add(address)
    }
  }
  await Promise.all(Array.from({ length: checksAtOnce }, worker))
  return frozen
}

/** The file. Amounts are exact: a transfer of another amount would not count as payment. */
export async function exportBatch(deps: BillingDeps): Promise<StreamReply> {
  const ready = (await listBatch(deps)).filter(({ problem }) => problem === '')
  const lines = ready.map(({ usdtAddress, amount, reference }) => [usdtAddress, amount, reference])
  const day = deps.clock.now().toISOString().slice(0, 10)
  return csvReply(`payments-${day}.csv`, ['address', 'amount', 'reference'], onePage(lines))
}

// oxlint-disable-next-line typescript/require-await -- csvReply takes an async generator of pages
async function* onePage(lines: string[][]): AsyncGenerator<string[][]> {
  yield lines
}
