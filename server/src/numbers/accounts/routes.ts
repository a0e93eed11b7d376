// Account numbers: a client's view of the numbers that it holds.
import { sql, type RawBuilder } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { AccountNumber, numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { CsvColumn } from '../../files/formats/csv.ts'
import { maskNumber, visibleDigits } from '../../files/formats/mask-number.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor, Handlers } from '../../http/handlers.ts'
import { searchCondition } from '../search-condition.ts'
import { allOf } from '../../http/lists/sorted-page.ts'
import {
  areNumbers,
  countNumbers,
  exportNumbers,
  listNumbers,
  toComingPrice,
  toScheduledPrice,
  viewNumber,
  type NumberView,
} from '../views.ts'
import { unknownNumber } from '../refusals.ts'
import { readDetails } from './details.ts'
import { pricesOf } from './prices.ts'

type AccountRoutes = Pick<
  typeof numbersRoutes,
  | 'listAccountNumbers'
  | 'getAccountNumber'
  | 'listNumberPrices'
  | 'summariseAccountNumbers'
  | 'exportAccountNumbers'
  | 'exportChosenAccountNumbers'
>

interface NumberAccountFilter {
  readonly search?: string | undefined
  readonly status?: string | undefined
  readonly type?: string | undefined
  readonly holderId?: number | undefined
  readonly rangeId?: string | undefined
}

async function filterOf(
  db: Db,
  { search, status, type, holderId, rangeId }: NumberAccountFilter,
  actor: Actor,
): Promise<RawBuilder<unknown>> {
  return allOf([
    // A masked number is found only by the digits that stay readable: by trying others a viewer could find out all of them.
    actor.role === 'test' ? matchesText(search) : await searchCondition(db, 'account', search),
    seesOwn(actor) && sql`n.holder_id = ${actor.userId}`,
    status !== undefined && status !== 'all' && sql`n.status = ${status}`,
    type !== undefined && type !== 'all' && sql`n.type = ${type}`,
    holderId !== undefined && sql`n.holder_id = ${holderId}`,
    rangeId !== undefined && isInRange(rangeId),
  ])
}

/** The condition that a number is inside a range; a narrower range may have its tariff. */
const isInRange = (rangeId: string) => sql`exists (
  select from ranges g where g.id = ${rangeId}::bigint and g.deleted_at is null
    and length(n.number) = length(g.start_number) and n.number between g.start_number and g.end_number)`

/** The numbers that the viewer may see and that contain a text, newest first. */
export async function findNumbers(
  db: Db,
  actor: Actor,
  search: string,
  limit: number,
): Promise<AccountNumber[]> {
  const page = await listNumbers(db, {
    sort: 'createdAt',
    order: 'desc',
    limit,
    ...(actor.role !== 'test' && { search }),
    filter: await filterOf(db, { search }, actor),
  })
  return page.rows.map((view) => toAccountNumber(view, actor))
}

/** Whether the list contains only the viewer's own numbers. */
function seesOwn(actor: Actor): boolean {
  return !isPermitted(actor.role, 'numbersManagement')
}

function matchesText(search: string | undefined): RawBuilder<unknown> {
  return search === undefined || search === ''
    ? sql`true`
    : sql`(strpos(lower(coalesce(n.account_number, '') || ' ' || n.description), lower(${search})) > 0
        or (length(n.number) > ${visibleDigits} and strpos(right(n.number, ${visibleDigits}), ${search}) > 0))`
}

function toAccountNumber(view: NumberView, actor: Actor): AccountNumber {
  const isUnpriced = actor.role === 'test' || view.holder_id === null
  return {
    id: String(view.id),
    accountNumber: view.account_number ?? '',
    clientName: view.holder_name,
    phoneNumber: actor.role === 'test' ? maskNumber(view.number) : view.number,
    type: view.type,
    rate: formatMicro(BigInt(view.bill_micro), 2),
    usdPerSms: isUnpriced ? '' : formatMicro(BigInt(view.earns_micro)),
    scheduled: isUnpriced ? null : seesOwn(actor) ? toComingPrice(view) : toScheduledPrice(view),
    earned: isUnpriced ? '' : formatMicro(BigInt(view.earned_micro), 2),
    status: view.status,
    description: view.description,
    createdAt: view.created_at.toISOString(),
  }
}

const exportColumns: readonly CsvColumn<AccountNumber>[] = [
  ['Date & Time', ({ createdAt }) => createdAt],
  ['Account Number', ({ accountNumber }) => accountNumber],
  ['Client Name', ({ clientName }) => clientName],
  ['Phone Number', ({ phoneNumber }) => phoneNumber],
  ['Type', ({ type }) => type],
  ['Rate', ({ rate }) => rate],
  ['USD per SMS', ({ usdPerSms }) => usdPerSms],
  ['Status', ({ status }) => status],
  ['Description', ({ description }) => description],
]

export function accountHandlers({ db }: { readonly db: Db }): Handlers<AccountRoutes> {
  const visible = async (id: string, actor: Actor) => {
    const view = await viewNumber(db, id)
    if (view === undefined || (seesOwn(actor) && view.holder_id !== actor.userId)) throw unknownNumber()
    return view
  }
  const exported = (filter: RawBuilder<unknown>, actor: Actor) => {
    const toRow = (view: NumberView) => toAccountNumber(view, actor)
    return exportNumbers(db, { fileName: 'account-numbers.csv', columns: exportColumns, toRow }, filter)
  }
  return {
    async listAccountNumbers({ query }, { actor }) {
      // The cursor contains the sort value, so a masked list cannot be sorted by the number.
      const sort = actor.role === 'test' && query.sort === 'phoneNumber' ? 'createdAt' : query.sort
      const page = await listNumbers(db, {
        ...query,
        sort,
        filter: await filterOf(db, query, actor),
      })
      return { items: page.rows.map((view) => toAccountNumber(view, actor)), next: page.next }
    },
    async getAccountNumber({ params }, { actor }) {
      const view = await visible(params.id, actor)
      const details = await readDetails(db, view, seesOwn(actor) ? actor.userId : undefined)
      const usdPerSmsNow = actor.role === 'test' ? '' : formatMicro(BigInt(view.earns_micro))
      return { ...toAccountNumber(view, actor), usdPerSmsNow, ...details }
    },
    async listNumberPrices({ params }, { actor }) {
      const { id, holder_id: holderId, held_from: heldFrom } = await visible(params.id, actor)
      return holderId === null || heldFrom === null ? [] : pricesOf(db, { id, holderId, heldFrom })
    },
    summariseAccountNumbers: async ({ query }, { actor }) =>
      countNumbers(db, await filterOf(db, query, actor)),
    exportAccountNumbers: async ({ query }, { actor }) => exported(await filterOf(db, query, actor), actor),
    exportChosenAccountNumbers: async ({ body }, { actor }) =>
      exported(allOf([await filterOf(db, {}, actor), areNumbers(body.ids)]), actor),
  }
}
