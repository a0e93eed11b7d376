// Transfers on the chain, payment runs and holds.
import { sql } from 'kysely'
import { noteTransfers } from '../../src/billing/payments/transfer-store.ts'
import { row } from '../../src/platform/db.ts'
import { admin, next, reason, secondSupport, support, withId, type Plants } from './plant.ts'
import { wallet, type World } from './world.ts'

/** A final transfer of ours to a client that nothing asked for; returns its id. */
export async function transferTo({ db, clock }: World, of: number, micro: bigint): Promise<string> {
  const at = { blockAt: clock.now(), isFinal: true, seenAt: clock.now() }
  const to = await row<{ address: string }>(
    db,
    sql`select usdt_address as address from payment_profiles where user_id = ${of}`,
  )
  const txid = next().toString(16).padStart(64, 'c')
  const [noted] = await noteTransfers(db, { network: '', txid, ...at }, [
    { logIndex: 0, from: wallet, to: to?.address ?? '', amountMicro: micro },
  ])
  return noted?.id ?? ''
}

export function runPlants(world: World): Plants {
  const { db, done, cycleId, nextClient, messageIdTo } = world
  const reference = () => {
    const of = nextClient()
    return { of, reference: `${cycleId}-${of}` }
  }
  const run = async (...verbs: ('approve' | 'export')[]) => {
    const { reference: paid } = reference()
    const { id } = await done(support, 'POST', '/api/payment-runs', { references: [paid] })
    for (const verb of verbs) await done(secondSupport, 'PUT', `/api/payment-runs/${id}/${verb}`)
    return { paid, plant: withId(id) }
  }
  const hold = async () => {
    const { of, reference: billed } = reference()
    const messageIds = [messageIdTo(String(447_700_000_000 + of * 10))]
    await done(admin, 'POST', `/api/billing/periods/${billed}/credit-notes`, { messageIds, reason })
    const found = await row<{ id: string }>(db, sql`select max(id)::text as id from holds`)
    return found?.id ?? ''
  }
  const ofHold = async () => withId(await hold())
  return {
    matchTransfer: async () => {
      const { of, reference: paid } = reference()
      return { ...withId(await transferTo(world, of, 50_000n)), body: { references: [paid] } }
    },
    explainTransfer: async () => withId(await transferTo(world, reference().of, 50_000n)),
    decideTransfer: async () => {
      const id = await transferTo(world, reference().of, 200_000_000n)
      await done(support, 'PUT', `/api/treasury/transfers/${id}/explain`, { reason })
      return { who: secondSupport, ...withId(id) }
    },
    createRun: async () => ({ body: { references: [reference().reference] } }),
    getRun: async () => (await run()).plant,
    cancelRun: async () => (await run()).plant,
    approveRun: async () => ({ who: secondSupport, ...(await run()).plant }),
    exportRun: async () => (await run('approve')).plant,
    getRunFile: async () => (await run('approve', 'export')).plant,
    closeRun: async () => (await run('approve', 'export')).plant,
    importRunHashes: async () => {
      const { paid, plant } = await run('approve', 'export')
      const data = `reference,transaction_hash\n${paid},${next().toString(16).padStart(64, 'a')}`
      return { ...plant, body: { data } }
    },
    releaseHold: ofHold,
    confirmHold: ofHold,
    decideHolds: async () => ({ body: { ids: [await hold()] } }),
  }
}
