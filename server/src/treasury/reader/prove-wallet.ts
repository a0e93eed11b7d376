// Once a day: what left our wallets on chain, against what the ledger says was paid. And, so that a node cannot hide a
// transfer from the reader: the balance may not fall by more than was read.
import { Gauge } from 'prom-client'
import type { BillingDeps } from '../../billing/index.ts'
import type { TronSettings } from '../../tron/index.ts'
import { transaction } from '../../platform/transaction.ts'
import { registry } from '../../platform/metrics.ts'
import { findBalance } from '../../tron/index.ts'
import {
  differenceOf,
  findNewestProof,
  insertProof,
  isEqual,
  readAgain,
  type ProofRow,
  type ProofScope,
} from './proof-store.ts'
import { readTreasury } from './read-treasury.ts'
import { countListed, listReadings } from './reader-store.ts'

const everyMs = 86_400_000
// A difference is looked at again soon, so that the alarm ends once it is mended.
const againMs = 600_000
// A node may list a transfer late; whatever it listed two days late is still found.
const readAgainMs = 2 * 86_400_000
const turnsMax = 50

const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
const difference = gauge(
  'tollgate_treasury_difference_microusdt',
  'What left our wallets minus what was explained and what the ledger says was paid, at the newest proof.',
)
const unread = gauge(
  'tollgate_treasury_unread_microusdt',
  'By how much the balance of our wallets fell beyond the transfers that were read, at the newest proof.',
)
const provedAt = gauge(
  'tollgate_treasury_proof_timestamp_seconds',
  'When wallet and ledger were last compared.',
)

/** Proves when it is due and the whole list can be read; else the next turn tries again. */
export async function proveWallet(deps: BillingDeps, signal?: AbortSignal): Promise<void> {
  const { db, clock, tron } = deps
  if (tron === undefined) return
  const wallets = await deps.treasuryAddresses.get(db)
  const last = await findNewestProof(db, tron.usdtContract)
  if (last !== undefined) show(last)
  if (wallets.length === 0 || (last !== undefined && !isDue(last, clock.now()))) return
  const readings = await listReadings(db, tron.usdtContract, wallets)
  if (readings.length < wallets.length) return
  const from = new Date(Math.min(...readings.map(({ reads_from: at }) => at.getTime())))
  await prove(deps, tron, { network: tron.usdtContract, wallets, from }, last, signal)
}

function isDue(last: ProofRow, now: Date): boolean {
  return now.getTime() - last.proved_at.getTime() >= (isEqual(last) ? everyMs : againMs)
}

function show(proof: ProofRow): void {
  difference.set(Number(differenceOf(proof)))
  unread.set(Number(proof.unread_micro))
  provedAt.set(proof.proved_at.getTime() / 1_000)
}

async function prove(
  deps: BillingDeps,
  tron: TronSettings,
  scope: ProofScope,
  last: ProofRow | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { db, clock } = deps
  const before = await balanceOf(deps, tron, scope.wallets)
  if (before === undefined) return
  const now = clock.now()
  await readAgain(db, scope, { from: new Date(now.getTime() - readAgainMs), now })
  if (!(await readToEnd(deps, scope, signal))) return
  // Unchanged while the list was read: this balance and this list belong together.
  if ((await balanceOf(deps, tron, scope.wallets)) !== before) return
  await transaction(db, (tx) => insertProof(tx, { scope, at: clock.now(), balanceMicro: before, last }), {
    isolation: 'repeatable read',
  })
  const made = await findNewestProof(db, scope.network)
  if (made !== undefined) show(made)
}

/** What all wallets have together; undefined when the node does not say it of every one. */
async function balanceOf(
  { egress }: BillingDeps,
  tron: TronSettings,
  wallets: readonly string[],
): Promise<bigint | undefined> {
  let sum = 0n
  for (const wallet of wallets) {
    const balance = await findBalance(egress, tron, wallet)
    if (balance === undefined) return undefined
    sum += balance
  }
  return sum
}

/** Reads until the end of every list was seen and every receipt is there. False when the node does not let us. */
async function readToEnd(
  deps: BillingDeps,
  { network, wallets }: ProofScope,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (let turn = 0; turn < turnsMax && signal?.aborted !== true; turn += 1) {
    await readTreasury(deps, signal)
    const readings = await listReadings(deps.db, network, wallets)
    if (readings.some(({ fault }) => fault !== '')) return false
    const isRead = readings.every(({ resumes_at: resumesAt }) => resumesAt === null)
    const { count, due } = await countListed(deps.db, network, deps.clock.now())
    if (isRead && count === 0) return true
    if (isRead && due === 0) return false
  }
  return false
}
