// How far the treasury is read, and the newest proof, as screens show them.
import type { TreasuryReader, WalletProof } from '@tollgate/contract/treasury/transfers.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { BillingDeps } from '../../billing/index.ts'
import { differenceOf, findNewestProof, isEqual, type ProofRow } from '../reader/proof-store.ts'
import { toReply } from '../../http/reply.ts'
import { countListed, listReadings } from '../reader/reader-store.ts'
import { sumOpen } from './transfer-views.ts'

export async function readReader({
  db,
  clock,
  tron,
  treasuryAddresses,
}: BillingDeps): Promise<TreasuryReader> {
  const nothing = { wallets: [], waitingCount: 0, oldestWaitingAt: null, open: { count: 0, amount: '0.00' } }
  if (tron === undefined) return { isConfigured: false, ...nothing, proof: null }
  const network = tron.usdtContract
  const wallets = await treasuryAddresses.get(db)
  const [readings, waiting, open, proof] = await Promise.all([
    listReadings(db, network, wallets),
    countListed(db, network, clock.now()),
    sumOpen(db, { network, wallets }),
    findNewestProof(db, network),
  ])
  return {
    isConfigured: true,
    wallets: readings.map((each) => ({ ...toReply(each), readFrom: each.reads_from.toISOString() })),
    waitingCount: waiting.count,
    oldestWaitingAt: waiting.oldest?.toISOString() ?? null,
    open: { count: open.count, amount: formatMicro(BigInt(open.micro), 2) },
    proof: proof === undefined ? null : toProof(proof),
  }
}

function toProof(proof: ProofRow): WalletProof {
  const amount = (micro: bigint | string) => formatMicro(BigInt(micro), 2)
  const [sent, booked, explained] = [proof.sent_micro, proof.booked_micro, proof.explained_micro].map(BigInt)
  return {
    ...toReply(proof),
    ledgerPaid: amount(proof.ledger_micro),
    unbooked: amount((sent ?? 0n) - (booked ?? 0n) - (explained ?? 0n)),
    unseen: amount(BigInt(proof.ledger_micro) - (booked ?? 0n)),
    difference: amount(differenceOf(proof)),
    isEqual: isEqual(proof),
  }
}
