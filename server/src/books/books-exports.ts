// The lists of the books as CSV: exact amounts, times in UTC.
import type { ListedAccount, Movement } from '@tollgate/contract/books/books.ts'
import { csvOfList, csvReply, exportPageRows, type CsvColumn } from '../files/formats/csv.ts'
import type { Db } from '../platform/db.ts'
import type { StreamReply } from '../http/handlers.ts'
import { listAccounts, type AccountFilter } from './account-views.ts'
import { eachAccrual, type Accrual } from './accruals.ts'
import { listMovements, type MovementFilter } from './movement-views.ts'

const movementColumns: readonly CsvColumn<Movement>[] = [
  ['Date', ({ at }) => at],
  ['Movement', ({ type }) => type],
  ['Amount (USDT)', ({ amount }) => amount],
  ['Balance (USDT)', ({ balance }) => balance],
  ['Not Billed (USDT)', ({ unbilledAmount }) => unbilledAmount],
  ['Credit (USDT)', ({ creditAmount }) => creditAmount],
  ['Received (USDT)', ({ receivedAmount }) => receivedAmount],
  ['Bill', ({ periodId }) => periodId ?? ''],
  ['Payout', ({ payoutId }) => payoutId ?? ''],
  ['Period Start', ({ periodStart }) => periodStart],
  ['Period End', ({ periodEnd }) => periodEnd],
  ['Transaction Hash', ({ transactionHash }) => transactionHash],
  ['Note', ({ note }) => note],
]

/** The movements of one account, in the order in which they add up to its balance. */
export function exportMovements(db: Db, userId: number, filter: MovementFilter): StreamReply {
  return csvOfList(`account-${userId}.csv`, movementColumns, (cursor) =>
    listMovements(db, userId, filter, { order: 'asc', limit: exportPageRows, cursor }),
  )
}

const accountColumns: readonly CsvColumn<ListedAccount>[] = [
  ['User', ({ userName }) => userName],
  ['Balance (USDT)', ({ balance }) => balance],
  ['Billed (USDT)', ({ billed }) => billed],
  ['0 to 7 days (USDT)', ({ days7 }) => days7],
  ['8 to 14 days (USDT)', ({ days14 }) => days14],
  ['15 to 30 days (USDT)', ({ days30 }) => days30],
  ['Over 30 days (USDT)', ({ older }) => older],
  ['Credit (USDT)', ({ credit }) => credit],
  ['Oldest', ({ oldestAt }) => oldestAt ?? ''],
]

export function exportAccounts(db: Db, now: Date, filter: AccountFilter): StreamReply {
  return csvOfList('accounts.csv', accountColumns, (cursor) =>
    listAccounts(db, now, filter, { sort: 'userName', order: 'asc', limit: exportPageRows, cursor }),
  )
}

const accrualColumns: readonly CsvColumn<Accrual>[] = [
  ['User', ({ userName }) => userName],
  ['Not Billed (USDT)', ({ unbilled }) => unbilled],
  ['Held (USDT)', ({ held }) => held],
  ['Billed (USDT)', ({ billed }) => billed],
  ['Credit (USDT)', ({ credit }) => credit],
  ['Owed (USDT)', ({ owed }) => owed],
  ['Paid (USDT)', ({ paid }) => paid],
]

export function exportAccruals(db: Db, now: Date, at?: Date): StreamReply {
  async function* pages() {
    for await (const clients of eachAccrual(db, now, at))
      yield clients.map((client) => accrualColumns.map(([, cell]) => cell(client)))
  }
  const day = (at ?? now).toISOString().slice(0, 10)
  return csvReply(
    `accruals-${day}.csv`,
    accrualColumns.map(([name]) => name),
    pages(),
  )
}
