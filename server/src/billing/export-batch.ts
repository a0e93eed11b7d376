// What is to be paid now, as a file for the wallet. Batch tools for TRC20 take lines of address and amount, a dot
// before the decimals and nothing between the thousands; further columns are passed over.
import type { BatchRow } from '@tollgate/contract/treasury.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { csvReply } from '../platform/formats/csv.ts'
import type { StreamReply } from '../platform/http/handlers.ts'
import { addressBytes } from './address.ts'
import { listWaiting, type WaitingRow } from './batch-store.ts'
import type { BillingParts } from './parts.ts'
import { isBlacklisted } from './tron-node.ts'

const rowsMax = 1_000
// A person waits for the list; an address that the node did not answer for in time counts as not refused.
const nodePatienceMs = 8_000
const askAtOnce = 5

/** Everything that waits, oldest first, each with what keeps it from being paid. */
export async function listBatch(parts: BillingParts): Promise<BatchRow[]> {
  const waiting = await listWaiting(parts.db, rowsMax)
  const now = parts.clock.now()
  const found = waiting.map((row) => ({ row, problem: problemOf(row, now) }))
  const asked = found.filter(({ problem }) => problem === '').map(({ row }) => row.usdt_address ?? '')
  const frozen = await frozenAmong(parts, [...new Set(asked)])
  return found.map(({ row, problem }) => ({
    reference: row.reference,
    userId: row.user_id,
    userName: row.username,
    usdtAddress: row.usdt_address ?? '',
    amount: formatMicro(BigInt(row.amount_micro), 2),
    problem:
      problem === '' && frozen.has(row.usdt_address ?? '')
        ? "USDT's contract has frozen this address: what is sent there is lost. Ask the client for another one."
        : problem,
  }))
}

function problemOf(row: WaitingRow, now: Date): string {
  if (row.parked_reason !== null) return `The ledger does not balance. ${row.parked_reason}`
  if (row.usdt_address === null) return 'The client has not given a USDT address yet.'
  if (row.payable_from !== null && row.payable_from > now)
    return `It may be paid from ${row.payable_from.toISOString()}.`
  if (row.awaits_approval === true) return 'A payment of it waits for a second person.'
  if (row.verification === 'confirming') return 'A payment of it is being verified.'
  if (row.verification !== null) return 'A payment of another amount waits for a decision.'
  return ''
}

async function frozenAmong({ egress, tron }: BillingParts, addresses: string[]): Promise<Set<string>> {
  const frozen = new Set<string>()
  if (tron === undefined) return frozen
  const endMs = performance.now() + nodePatienceMs
  const left = [...addresses]
  const worker = async () => {
    for (let address = left.pop(); address !== undefined; address = left.pop()) {
      if (performance.now() > endMs) return
      const bytes = addressBytes(address)
      if (bytes !== undefined && (await isBlacklisted(egress, tron, bytes)) === true) frozen.add(address)
    }
  }
  await Promise.all(Array.from({ length: askAtOnce }, worker))
  return frozen
}

/** The file. Amounts are exact: a transfer of another amount would not count as payment. */
export async function exportBatch(parts: BillingParts): Promise<StreamReply> {
  const ready = (await listBatch(parts)).filter(({ problem }) => problem === '')
  const lines = ready.map(({ usdtAddress, amount, reference }) => [usdtAddress, amount, reference])
  const day = parts.clock.now().toISOString().slice(0, 10)
  return csvReply(`payments-${day}.csv`, ['address', 'amount', 'reference'], onePage(lines))
}

// oxlint-disable-next-line typescript/require-await -- csvReply takes pages as they come
async function* onePage(lines: string[][]): AsyncGenerator<string[][]> {
  yield lines
}
