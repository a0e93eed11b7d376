// What journal.test.ts and journal.long.test.ts stand on.
import { ledgerAccounts } from '@tollgate/contract/vocabulary.ts'
import type { openTestBilling } from '../../../test/money/billing.ts'

export const admin = 6

export type Environment = Awaited<ReturnType<typeof openTestBilling>>
export const linesOf = (text: string) =>
  text
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))

export async function openJournalEnvironment() {
  const setup = {
    accounts: ledgerAccounts.map((account, index) => ({ account, code: String(1600 + index) })),
  }

  const save = ({ call }: Pick<Environment, 'call'>, change: object = {}, by = admin) =>
    call(by, 'PUT', '/api/books/setup', { body: { ...setup, ...change } })
  return { setup, save }
}
