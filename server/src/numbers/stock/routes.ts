import { sql } from 'kysely'
import { stockRoutes } from '@tollgate/contract/numbers/stock.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { isPermitted, type StockOffer } from '@tollgate/contract/vocabulary.ts'
import { rows } from '../../platform/db.ts'
import { bindRoutes, type Actor, type BoundRoutes } from '../../http/handlers.ts'
import { allOf } from '../../http/lists/sorted-page.ts'
import { countryFilter } from '../country.ts'
import { callerOf, type NumbersDeps } from '../deps.ts'
import { searchCondition } from '../search-condition.ts'
import { isOfCountryNamed, listNumbers, namesMax } from '../views.ts'
import { isOffered, takeNumber, takesLeft, toOffered } from './take.ts'

export function bindStockRoutes(deps: NumbersDeps): BoundRoutes {
  const { db } = deps
  /** Staff see what is offered before anybody else does. */
  const offerFor = async ({ role }: Actor): Promise<StockOffer> => {
    const offer = (await deps.stockOffer?.(db)) ?? 'off'
    return offer === 'off' && isPermitted(role, 'numbersManagement') ? 'request' : offer
  }
  return bindRoutes(stockRoutes, {
    async getStockTerms(_, { actor }) {
      const offer = await offerFor(actor)
      const countries = await rows<{ name: string }>(
        db,
        sql`select distinct n.country as name from numbers n where ${isOffered} and n.country <> ''
            order by 1 limit ${namesMax}`,
      )
      return {
        offer,
        takesLeft: offer === 'take' ? await takesLeft(deps, db, actor.userId) : 0,
        countries: offer === 'off' ? [] : countries.map(({ name }) => name),
      }
    },
    async listStock({ query }, { actor }) {
      if ((await offerFor(actor)) === 'off') return { items: [], next: undefined }
      const { country, type, priceMin } = query
      const filter = allOf([
        isOffered,
        await searchCondition(db, 'offer', query.search),
        country !== undefined && country !== '' && isOfCountryNamed(countryFilter(country).name),
        type !== undefined && type !== 'all' && sql`n.type = ${type}`,
        priceMin !== undefined && sql`n.price_micro >= ${parseMicro(priceMin) ?? 0n}`,
      ])
      const page = await listNumbers(db, { ...query, filter })
      return { items: page.rows.map(toOffered), next: page.next }
    },
    takeNumber: ({ params }, context) => takeNumber(deps, params.id, callerOf(context)),
  })
}
