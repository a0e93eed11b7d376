// Builds the slice: who sets terms, how a looser one waits, and what other slices ask.
import { Refusal } from '@tollgate/contract/errors.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { termsRoutes, type ClientTerms, type OwnTerms, type Terms } from '@tollgate/contract/terms/terms.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import { toReply } from '../http/reply.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import type { Guarded, PendingChange, Settings } from '../settings/index.ts'
import { defineDefaultTerms, type DefaultTerms } from './settings.ts'
import { countNumbers, findTerms, findUse, insertTerms, termsHistory, type FoundTerms } from './store.ts'
import { areAsStrict, parseTerms, termsText, toTerms, type TermsRow } from './terms-text.ts'

interface TermsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly settings: Pick<Settings, 'define' | 'guard'>
  /** Throws Refusal forbidden when the account is the person's own, or is paid to an address of the person. */
  readonly refuseOwnAccount: (
    tx: Db,
    accounts: readonly { readonly userId: number }[],
    person: { readonly userId: number },
  ) => Promise<void>
}

/** The slice, for compose. */
export interface ClientTermsSlice {
  readonly routes: BoundRoutes[]
  /** The terms of clients without own ones, to be read once for many: see `termsInForce`. */
  defaults(db: Db): Promise<DefaultTerms>
  /** The days between a close and the payment of one client's bill. */
  payableAfterDays(db: Db, userId: number): Promise<number>
  /**
   * Throws Refusal wrong_state when the client would hold more numbers than its terms allow. Call it under the closed
   * traffic gate, so that two assignments do not pass together.
   */
  checkNumbers(
    tx: Db,
    client: { readonly userId: number; readonly username: string },
    added: number,
  ): Promise<void>
}

const unknownUser = () => new Refusal('not_found', 'There is no such user.')

/** Builds the slice. */
export function createTerms(deps: TermsDeps): ClientTermsSlice {
  const { clock, settings } = deps
  const defaults = defineDefaultTerms(settings)
  const find: FindTerms = async (reader, userId) => {
    const found = await findTerms(reader, await defaults(reader), userId)
    if (found === undefined) throw unknownUser()
    return found
  }
  const guarded = settings.guard({
    name: 'terms',
    objectType: 'user',
    read: async (tx, id) => termsText((await find(tx, Number(id))).terms),
    write: (tx, id, text, by) => insertTerms(tx, Number(id), parseTerms(text), by, clock.now()),
    isAsStrict: (before, text) => areAsStrict(parseTerms(before), parseTerms(text)),
  })
  return {
    routes: [bindTermsRoutes(deps, find, guarded)],
    defaults,
    payableAfterDays: async (reader, userId) => (await find(reader, userId)).terms.payableAfterDays,
    async checkNumbers(tx, { userId, username }, added) {
      const { numbersMax } = (await find(tx, userId)).terms
      if (numbersMax === null) return
      const held = await countNumbers(tx, userId)
      if (held + added > numbersMax)
        throw new Refusal(
          'wrong_state',
          sentence(
            'By its terms {name} may hold {max} numbers, and it holds {held}. An admin can change its terms.',
            { name: username, max: numbersMax, held },
          ),
        )
    },
  }
}

/** Throws Refusal not_found. */
type FindTerms = (reader: Db, userId: number) => Promise<FoundTerms>

function bindTermsRoutes({ db, clock, refuseOwnAccount }: TermsDeps, find: FindTerms, guarded: Guarded) {
  async function ownTerms(userId: number): Promise<OwnTerms> {
    const { terms, isOwn, isNewcomer } = await find(db, userId)
    return { ...toTerms(terms), isOwn, isNewcomer, used: await findUse(db, clock.now(), userId) }
  }

  async function clientTerms(userId: number): Promise<ClientTerms> {
    const own = await ownTerms(userId)
    const pending = await guarded.pending(db, String(userId))
    const history = await termsHistory(db, userId)
    return {
      ...own,
      pending: pending === undefined ? null : toPending(pending),
      history: history.map((each) => ({ ...each, terms: toTerms(each.terms) })),
    }
  }

  return bindRoutes(termsRoutes, {
    getOwnTerms: (_, { actor }) => ownTerms(actor.userId),
    getTerms: ({ params }) => clientTerms(params.id),
    async putTerms({ params, body }, { actor, ip }) {
      await transaction(db, async (tx) => {
        await find(tx, params.id)
        await refuseOwnAccount(tx, [{ userId: params.id }], actor)
        await guarded.put(tx, String(params.id), termsText(toRow(body)), { actor, ip })
      })
      return clientTerms(params.id)
    },
    async decideTermsChange({ params, body }, { actor, ip }) {
      await transaction(db, async (tx) => {
        await find(tx, params.id)
        if (body.action === 'approve') await refuseOwnAccount(tx, [{ userId: params.id }], actor)
        await guarded.decide(tx, String(params.id), body.action, { actor, ip })
      })
      return clientTerms(params.id)
    },
  })
}

const toPending = ({ value, ...pending }: PendingChange): NonNullable<ClientTerms['pending']> => ({
  ...toReply(pending),
  terms: toTerms(parseTerms(value)),
})

function toRow({ valuePerCycleMax, ...terms }: Terms): TermsRow {
  return {
    ...terms,
    valuePerCycleMaxMicro: valuePerCycleMax === null ? null : (parseMicro(valuePerCycleMax) ?? 0n),
  }
}
