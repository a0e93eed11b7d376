import { Refusal } from '@tollgate/contract/errors.ts'
import { statementRoutes } from '@tollgate/contract/statements/statements.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import {
  findPaymentProfile,
  findPeriod,
  listLines,
  parsePeriodId,
  type BillingDeps,
} from '../billing/index.ts'
import { bindRoutes, type Actor, type BoundRoutes } from '../http/handlers.ts'
import { fingerprintOf } from '../platform/security/signing.ts'
import { readStatement } from './read-statement.ts'
import { writeStatement } from './statement-pdf.ts'

const noPeriod = () => new Refusal('not_found', 'There is no such billing period.')

/** The caller's own period, or any period for people who may pay. Throws Refusal not_found for all others. */
function visibleTo(actor: Actor, text: string): { cycleId: number; userId: number } {
  const id = parsePeriodId(text)
  const isSeen = id?.userId === actor.userId || isPermitted(actor.role, 'paymentManagement')
  if (id === undefined || !isSeen) throw noPeriod()
  return id
}

export function bindStatementRoutes({ db, clock, signer }: BillingDeps): BoundRoutes {
  return bindRoutes(statementRoutes, {
    async readStatement({ params }, { actor }) {
      const { cycleId, userId } = visibleTo(actor, params.id)
      return readStatement(db, cycleId, userId)
    },
    async getStatementKey() {
      const { publicKey } = signer
      return { algorithm: 'Ed25519' as const, publicKey, fingerprint: fingerprintOf(publicKey) }
    },
    async getStatement({ params }, { actor }) {
      const id = visibleTo(actor, params.id)
      const bill = await findPeriod(db, { ...id, hasOwnOpen: true, now: clock.now() })
      if (bill === undefined) throw noPeriod()
      if (bill.status === 'pending')
        throw new Refusal(
          'wrong_state',
          'This period is still open. Its statement is made when it is closed.',
        )
      const [lines, profile] = await Promise.all([
        listLines(db, { ...id, isBilled: true }),
        findPaymentProfile(db, id.userId),
      ])
      return writeStatement(bill, lines, { payeeName: profile?.full_name ?? '', now: clock.now() })
    },
  })
}
