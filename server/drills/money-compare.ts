// The product's bills, payouts, credit, holds, ledger, transfers and archived statements against the model of the drill
// `money`, to the millionth.
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { parseMicro } from '@tollgate/contract/money.ts'
import { verifyFile } from '../src/statements/index.ts'
import { readStatement } from '../src/statements/read-statement.ts'
import { row, rows, type Db } from '../src/platform/db.ts'
import type { ModelStatement, MoneyModel } from '../test/money/money-model.ts'

/** What differs, as sentences; empty when everything agrees. Statements are compared of the newest cycle. */
export async function compareMoney(db: Db, model: MoneyModel): Promise<string[]> {
  return [
    ...differences('debt', await debtsIn(db), debtsOf(model)),
    ...differences('account', await accountsIn(db), accountsOf(model)),
    ...differences('sum', await sumsIn(db), sumsOf(model)),
    ...(await statementBreaches(db, model)),
  ]
}

type Texts = ReadonlyMap<string, string>

function differences(what: string, found: Texts, expected: Texts): string[] {
  return [...new Set([...found.keys(), ...expected.keys()])].flatMap((key) => {
    const [is, shall] = [found.get(key) ?? 'nothing', expected.get(key) ?? 'nothing']
    return is === shall ? [] : [`${what} ${key}: ${is} in the product, ${shall} in the model`]
  })
}

async function debtsIn(db: Db): Promise<Texts> {
  const found = await rows<{ reference: string; text: string }>(
    db,
    sql`select reference, concat_ws(' ', total_micro, 'received', received_micro, 'set off', set_off_micro,
          'reduced', reduced_micro, 'due', due_micro, case when is_settled then 'settled' else 'open' end) as text from debts`,
  )
  return new Map(found.map(({ reference, text }) => [reference, text]))
}

const debtsOf = (model: MoneyModel): Texts =>
  new Map(
    model.debts.map((debt) => [
      debt.payoutId === undefined ? `${debt.cycleId}-${debt.client}` : `payout-${debt.payoutId}`,
      `${debt.total} received ${debt.received} set off ${debt.setOff} reduced ${debt.waived} due ${model.due(debt)} ${debt.isSettled ? 'settled' : 'open'}`,
    ]),
  )

async function accountsIn(db: Db): Promise<Texts> {
  const found = await rows<{ key: string; sum: string }>(
    db,
    sql`select user_id || ' ' || account as key, sum(amount_micro)::text as sum from ledger_entries
        where user_id is not null group by 1 having sum(amount_micro) <> 0`,
  )
  return new Map(found.map(({ key, sum }) => [key, sum]))
}

const accountsOf = (model: MoneyModel): Texts =>
  new Map(
    model.clients.flatMap((client) =>
      Object.entries(model.ledgerOf(client)).map(([account, sum]): [string, string] => [
        `${client} ${account}`,
        sum,
      ]),
    ),
  )

async function sumsIn(db: Db): Promise<Texts> {
  const found = await row<Record<string, string>>(
    db,
    sql`select (select coalesce(sum(amount_micro), 0)::text from client_credits) as credit,
          (select sum(amount_micro)::text from ledger_entries) as ledger,
          (select coalesce(sum(booked_micro), 0)::text from transfers) as booked,
          (select count(*)::text from transfers where booked_micro > amount_micro) as "booked twice",
          (select coalesce(sum(amount_micro), 0)::text from holds where status = 'open') as held`,
  )
  return new Map(Object.entries(found ?? {}))
}

function sumsOf(model: MoneyModel): Texts {
  const total = (of: (client: number) => bigint) =>
    String(model.clients.reduce((sum, client) => sum + of(client), 0n))
  return new Map([
    ['credit', total((client) => model.account(client).credit)],
    ['ledger', '0'],
    ['booked', total((client) => model.account(client).paid)],
    ['booked twice', '0'],
    ['held', total((client) => model.account(client).held)],
  ])
}

async function statementBreaches(db: Db, model: MoneyModel): Promise<string[]> {
  const cycleId = Math.max(...model.statements.map((statement) => statement.cycleId))
  const newest = model.statements.filter((statement) => statement.cycleId === cycleId)
  const found: string[] = []
  for (const statement of newest) found.push(...(await oneStatement(db, statement)))
  return found
}

async function oneStatement(db: Db, { client, cycleId, bill, payouts }: ModelStatement): Promise<string[]> {
  const { stream } = await readStatement(db, cycleId, client)
  const { faults, end } = await verifyFile(createInterface({ input: Readable.from(stream) }))
  const isEqual = parseMicro(end?.bill ?? '') === bill && parseMicro(end?.payouts ?? '') === payouts
  if (faults.length === 0 && isEqual) return []
  return [
    `statement ${cycleId}-${client}: bill ${end?.bill}, payouts ${end?.payouts}, ${faults.length} faults; the model has ${bill} and ${payouts} millionths`,
  ]
}
