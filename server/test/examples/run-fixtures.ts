// Transfers on the chain, payment runs and holds.
import { admin, next, reason, secondSupport, support, withId, type Fixtures } from './fixture.ts'
import { aTransferTo } from '../money/money-actions-environment.ts'
import { idFrom } from '../environment/database.ts'
import type { ExamplesEnvironment } from './environment.ts'

export function runFixtures(environment: ExamplesEnvironment): Fixtures {
  const { db, done, cycleId, nextClient, messageIdTo } = environment
  const reference = () => {
    const of = nextClient()
    return { of, reference: `${cycleId}-${of}` }
  }
  const run = async (...verbs: ('approve' | 'export')[]) => {
    const { reference: paid } = reference()
    const { id } = await done(support, 'POST', '/api/payment-runs', { references: [paid] })
    for (const verb of verbs) await done(secondSupport, 'PUT', `/api/payment-runs/${id}/${verb}`)
    return { paid, fixture: withId(id) }
  }
  const hold = async () => {
    const { of, reference: billed } = reference()
    const messageIds = [messageIdTo(String(447_700_000_000 + of * 10))]
    await done(admin, 'POST', `/api/billing/periods/${billed}/credit-notes`, { messageIds, reason })
    return idFrom(db)`select max(id)::text as id from holds`
  }
  const ofHold = async () => withId(await hold())
  return {
    matchTransfer: async () => {
      const { of, reference: paid } = reference()
      return { ...withId(await aTransferTo(environment, of, 50_000n)), body: { references: [paid] } }
    },
    explainTransfer: async () => withId(await aTransferTo(environment, reference().of, 50_000n)),
    decideTransfer: async () => {
      const id = await aTransferTo(environment, reference().of, 200_000_000n)
      await done(support, 'PUT', `/api/treasury/transfers/${id}/explain`, { reason })
      return { who: secondSupport, ...withId(id) }
    },
    createRun: async () => ({ body: { references: [reference().reference] } }),
    getRun: async () => (await run()).fixture,
    cancelRun: async () => (await run()).fixture,
    approveRun: async () => ({ who: secondSupport, ...(await run()).fixture }),
    exportRun: async () => (await run('approve')).fixture,
    getRunFile: async () => (await run('approve', 'export')).fixture,
    closeRun: async () => (await run('approve', 'export')).fixture,
    importRunHashes: async () => {
      const { paid, fixture } = await run('approve', 'export')
      const data = `reference,transaction_hash\n${paid},${next().toString(16).padStart(64, 'a')}`
      return { ...fixture, body: { data } }
    },
    releaseHold: ofHold,
    confirmHold: ofHold,
    decideHolds: async () => ({ body: { ids: [await hold()] } }),
  }
}
