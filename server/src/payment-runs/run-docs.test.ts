// docs/money.md shows a payment run. Its figures are made here, by the product itself.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { DraftLine, RunDetail } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { openTestTreasury } from '../../test/money/treasury.ts'
import { projectRoot } from '../platform/process/project.ts'

const docs = await readFile(join(projectRoot, 'docs/money.md'), 'utf8')

test('the payment run of docs/money.md is what the product makes of it', async () => {
  const { address, billing, call, db, read, send, transfers } = await openTestTreasury()
  await sql`insert into client_credits (user_id, amount_micro) values (3, 10000000)`.execute(db)
  const { lines } = (await call(4, 'GET', '/api/payment-runs/draft')).body as { lines: DraftLine[] }
  const references = lines.flatMap(({ debts }) => debts.map(({ reference }) => reference))
  const { body } = await call(4, 'POST', '/api/payment-runs', { body: { references } })
  for (const verb of ['approve', 'export']) await call(5, 'PUT', `/api/payment-runs/${body.id}/${verb}`)
  // A double click in the wallet, and a slip.
  const sent = new Map([
    [1, [1_500_000n]],
    [2, [50_000n, 50_000n]],
    [3, [20_000_000n]],
  ])
  for (const [client, amounts] of sent)
    for (const amountMicro of amounts) send([address(client), amountMicro])
  await read()
  await read()
  const run = (await call(4, 'GET', `/api/payment-runs/${body.id}`)).body as RunDetail
  const seen = await transfers('?order=asc')
  const rows = run.lines.map((line, index) => [
    ['Ada', 'Bo', 'Cleo'][index],
    line.debts.map(({ reference }) => (reference.startsWith('payout') ? 'payout' : 'bill')).join(' + '),
    line.amount,
    (sent.get(line.userId) ?? []).map((amountMicro) => formatMicro(amountMicro, 2)).join(', '),
    line.state,
    seen
      .filter(({ toAddress }) => toAddress === line.usdtAddress)
      .map(({ state }) => state)
      .join(', '),
  ])
  const head = ['client', 'debts', 'asked for', 'sent', 'the line', 'the transfers']
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  expect(docs).toContain(table)
  await billing.proveWallet()
  const { proof } = (await call(4, 'GET', '/api/treasury/reader')).body
  expect(docs).toContain(`sent ${proof.sent}, booked ${proof.booked}, difference ${proof.difference} USDT`)
})
