// Hashes that a person brings back from the wallet. Where the chain is read they only say where to look; without a node
// they are the only word that there will be, and the line counts as paid.
import { transactionHashSchema } from '@tollgate/contract/billing/debts.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { isAmountSpelledAs } from '@tollgate/contract/money.ts'
import type { RunHashReport } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { sentence, messageFieldsOf } from '@tollgate/contract/sentences.ts'
import { execute, type Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import { transaction } from '../platform/transaction.ts'
import {
  refuseOwnAccount,
  type BillingDeps,
  bookReceived,
  updateDebtState,
  lockDebt,
  lockDebts,
  insertPayment,
  livePayments,
  lockHash,
  usedHash,
  parseReference,
} from '../billing/index.ts'
import { addNamed, removeNamed } from '../treasury/index.ts'
import type { HashLine } from './read-hashes.ts'
import { listRunDebts, lockRun } from './run-store.ts'

type LineReport = RunHashReport['lines'][number]

interface HashImport {
  readonly runId: string
  readonly lines: readonly HashLine[]
  readonly isTrial: boolean
  readonly by: Caller
}

/**
 * Takes the hashes of a run in one transaction. A trial does all of it and rolls it back, and so does an import with
 * refused lines; the report names those. Throws Refusal not_found and wrong_state.
 */
export async function importHashes(deps: BillingDeps, input: HashImport): Promise<RunHashReport> {
  return transaction(deps.db, async (tx) => {
    const run = await lockRun(tx, input.runId)
    if (run === undefined) throw new Refusal('not_found', 'There is no such payment run.')
    if (run.status !== 'exported')
      throw new Refusal('wrong_state', 'Hashes belong to a run whose file was made and that is not closed.')
    // A savepoint, because the outer transaction of the Idempotency-Key goes on.
    await execute(tx, 'savepoint hashes')
    const lines: LineReport[] = []
    // Locks are taken in one order, so that two imports cannot deadlock.
    const named = await nameLines(tx, input)
    for (const line of named.toSorted((a, b) => (a.reference < b.reference ? -1 : 1)))
      lines.push(hasFailed(line) ? skipped(line) : await takeLine(tx, deps, input, line))
    const refusedCount = lines.filter(({ outcome }) => outcome === 'refused').length
    const isApplied = !input.isTrial && refusedCount === 0
    if (isApplied)
      await deps.audit.record(tx, {
        actor: input.by.actor,
        ip: input.by.ip,
        action: 'payment_run.hashes',
        objectType: 'payment_run',
        objectId: input.runId,
        after: { lines: lines.length },
      })
    else await execute(tx, 'rollback to savepoint hashes')
    return { isApplied, refusedCount, lines: lines.toSorted((a, b) => a.line - b.line) }
  })
}

/** What a wallet writes for a transfer that did not happen. A hash of one would count as paid where no node is asked. */
const failure = /fail|revert|reject|cancel|error|out.of.(?:energy|bandwidth)/i
const hasFailed = ({ transactionHash, status }: HashLine): boolean =>
  transactionHash === '' || failure.test(status)

function skipped({ line, reference, transactionHash, address, status }: HashLine): LineReport {
  const why =
    status === ''
      ? 'It has no hash, so nothing is taken from this line.'
      : sentence('The file says {status}, so nothing is taken from this line.', {
          status: { text: status.slice(0, 60) },
        })
  return {
    line,
    reference: reference || address,
    transactionHash,
    outcome: 'skipped',
    ...messageFieldsOf(why),
  }
}

/** The lines with their references: those without one by their address and amount, when these are of one line of the run. */
async function nameLines(tx: Db, { runId, lines }: HashImport): Promise<HashLine[]> {
  if (lines.every(({ reference }) => reference !== '')) return [...lines]
  const found = await tx
    .selectFrom('payment_run_lines')
    .select(['id', 'address', 'amount_micro'])
    .where('run_id', '=', runId)
    .execute()
  return lines.map((line) => {
    if (line.reference !== '') return line
    const fitting = found.filter(
      ({ address, amount_micro: micro }) =>
        address === line.address && isAmountSpelledAs(BigInt(micro), line.amount),
    )
    const [only] = fitting.length === 1 ? fitting : []
    return only === undefined ? line : { ...line, reference: `run-${runId}-${only.id}` }
  })
}

async function takeLine(
  tx: Db,
  deps: BillingDeps,
  { runId, by }: HashImport,
  { line, reference, transactionHash, amount, address }: HashLine,
): Promise<LineReport> {
  await execute(tx, 'savepoint line')
  const hash = transactionHashSchema.safeParse(transactionHash)
  const report = {
    line,
    reference: reference || address,
    transactionHash: hash.data ?? transactionHash.slice(0, 200),
  }
  try {
    if (!hash.success) throw new Refusal('invalid', 'A transaction hash has 64 hexadecimal digits.')
    if (reference === '')
      throw new Refusal(
        'invalid',
        'Its address and amount are those of no line of this run, or of several: give the reference.',
      )
    const found = await findLine(tx, runId, reference)
    if (amount !== '' && !isAmountSpelledAs(BigInt(found.amount_micro), amount))
      throw new Refusal(
        'invalid',
        sentence('The file says {amount} USDT, which is not the amount of this line.', { amount }),
      )
    await refuseOwnAccount(tx, [{ userId: found.user_id, address: found.address }], by.actor)
    if (deps.tron === undefined) await bookByWord(tx, deps, { runId, lineId: found.id, hash: hash.data, by })
    else {
      await setHash(tx, found.id, hash.data)
      const { usdtContract: network } = deps.tron
      const before = found.transaction_hash
      if (before !== null && before !== hash.data)
        await removeNamed(tx, network, { txid: before, lineId: found.id })
      await addNamed(tx, network, hash.data, deps.clock.now())
    }
    return { ...report, outcome: deps.tron === undefined ? 'paid' : 'looked_up', message: '' }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await execute(tx, 'rollback to savepoint line')
    return { ...report, outcome: 'refused', ...messageFieldsOf(error.words ?? error.message) }
  }
}

async function findLine(tx: Db, runId: string, reference: string) {
  const [, run, lineId] = /^run-([1-9]\d{0,17})-([1-9]\d{0,17})$/.exec(reference) ?? []
  const found =
    run === runId && lineId !== undefined
      ? await tx
          .selectFrom('payment_run_lines')
          .select(['id', 'user_id', 'address', 'amount_micro', 'transaction_hash', 'transfer_id'])
          .where('id', '=', lineId)
          .where('run_id', '=', runId)
          .forUpdate()
          .executeTakeFirst()
      : undefined
  if (found === undefined) throw new Refusal('invalid', 'This is the reference of no line of this run.')
  if (found.transfer_id !== null) throw new Refusal('wrong_state', 'Its transfer was found already.')
  return found
}

/** A mistyped hash is replaced by the right one as long as its transfer was not found. */
async function setHash(tx: Db, lineId: string, hash: string): Promise<void> {
  await tx.updateTable('payment_run_lines').set({ transaction_hash: hash }).where('id', '=', lineId).execute()
}

interface WordOfMouth {
  readonly runId: string
  readonly lineId: string
  readonly hash: string
  readonly by: Caller
}

/** Nothing can be looked up: two persons approved the line, and its hash is written down as it is given. */
async function bookByWord(
  tx: Db,
  deps: BillingDeps,
  { runId, lineId, hash, by }: WordOfMouth,
): Promise<void> {
  await lockHash(tx, hash)
  if ((await livePayments(tx, [hash])).length > 0) throw usedHash('Check which transfer paid this one.')
  const debts = await listRunDebts(tx, runId, lineId)
  await lockDebts(
    tx,
    debts.map(({ reference }) => reference),
  )
  for (const [index, { reference }] of debts.entries()) {
    const debtId = parseReference(reference)
    const debt = debtId && (await lockDebt(tx, debtId))
    const dueMicro = BigInt(debt?.due_micro ?? 0)
    if (debtId === undefined || debt === undefined || dueMicro === 0n)
      throw new Refusal('wrong_state', sentence('{reference} is paid already.', { reference }))
    const paymentId = await insertPayment(tx, debtId, {
      user_id: debt.user_id,
      amount_micro: dueMicro,
      usdt_address: debt.usdt_address ?? '',
      transaction_hash: hash,
      status: 'confirmed',
      verification: 'unverified',
      requested_by: by.actor.userId,
      notes: `Payment run ${runId}`,
      hash_place: index,
      created_at: deps.clock.now(),
    })
    const booking = { debtId, debt, paymentId, actorId: by.actor.userId, receivedMicro: dueMicro, parts: [] }
    await bookReceived(tx, deps, booking)
    await updateDebtState(tx, deps, { debtId, paymentId })
  }
  await setHash(tx, lineId, hash)
}
