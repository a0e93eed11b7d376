// What inbound.test.ts and inbound.long.test.ts stand on.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Peer } from '@tollgate/smpp/testing/peer.ts'
import { eventually } from '../../../test/environment/eventually.ts'
import { openTestGateway } from '../../../test/traffic/gateway.ts'

/** Sends on all these binds for this long, faster than any account here may, and gives what came of it. */
async function offer(from: readonly Peer[], destinationAddr: string, forMs: number) {
  const startedMs = performance.now()
  let [lastMs, offeredMs, each] = [startedMs, 0, 0]
  while (lastMs - startedMs < forMs) {
    each += 1
    for (const one of from)
      one.send('submit_sm', each, { sourceAddr: '1', destAddrTon: 1, destAddrNpi: 1, destinationAddr })
    await sleep(5)
    const nowMs = performance.now()
    // During a pause of the machine nothing is offered beyond 0.1 s.
    offeredMs += Math.min(nowMs - lastMs, 100)
    lastMs = nowMs
  }
  const answers = (await Promise.all(from.map((one) => one.take(each)))).flat()
  const taken = answers.filter(({ status }) => status === 0).length
  return {
    taken,
    throttled: answers.filter(({ status }) => status === 0x58).length,
    sent: each * from.length,
    perSecondMin: (taken * 1_000) / (performance.now() - startedMs),
    perSecondMax: (taken * 1_000) / offeredMs,
  }
}

/**
 * Offers until the rate that was taken lies in these bounds: a pause of the machine spoils one measurement or the other,
 * a wrong rate all. The first that fits is given.
 */
export async function offerUntil(
  from: readonly Peer[],
  destinationAddr: string,
  { above, below }: { readonly above: number; readonly below: number },
) {
  let taken = 0
  await eventually(async () => {
    const offered = await offer(from, destinationAddr, 2_000)
    taken += offered.taken
    expect(offered.taken + offered.throttled).toBe(offered.sent)
    expect(offered.throttled).toBeGreaterThan(20)
    expect(offered.perSecondMax).toBeGreaterThan(above)
    expect(offered.perSecondMin).toBeLessThan(below)
  }, 60_000)
  return taken
}

export async function openInboundEnvironment() {
  const environment = await openTestGateway()
  const { node, db } = environment
  return { environment, node, db }
}
