// kill -9 of the gateway, its database or both, at random moments under full load.
import { setTimeout as sleep } from 'node:timers/promises'
import { changePrices } from './business.ts'
import { until } from './conditions.ts'
import { defineDrill } from './define.ts'
import { makeEmbeddedTestbed } from './embedded-testbed.ts'
import { judge } from './judge.ts'
import { startLoad } from './start-load.ts'

const victims = ['process', 'database', 'both'] as const
const checkEveryMs = 5_000
const answersUnderWayMs = 200

export const kill = defineDrill({
  name: 'kill',
  summary:
    'kill -9 of the gateway, the database or both under load; --records is how many each round acknowledges',
  options: { rounds: 100, records: 10_000, repeatPercent: 50 },
  short: { rounds: 2, records: 2_000, repeatPercent: 0 },
  async run({ options, random, note, onEnd }) {
    const testbed = await makeEmbeddedTestbed({ onEnd })
    let gateway = await testbed.start()
    const { suppliers, periodic } = await startLoad(
      { onEnd, random },
      { ...testbed, ports: [testbed.smppPort] },
      { perSecond: 0, binds: 10, repeatShare: options.repeatPercent / 100, checkEveryMs },
    )
    const describe = () => `${suppliers.describe()}; gateway: ${gateway.describe()}`
    let longestReadyMs = 0
    for (let round = 1; round <= options.rounds; round += 1) {
      const victim = random.pick(victims)
      const before = suppliers.acknowledged
      const target = before + Math.floor(options.records * (0.5 + random.below(1_000) / 1_000))
      await changePrices(testbed.url, random)
      await until('acknowledgements before a kill', () => suppliers.acknowledged >= target, describe)
      await sleep(random.below(20))
      const killedAtMs = performance.now()
      if (victim === 'process') await gateway.stop('SIGKILL')
      else if (victim === 'both') await testbed.killBoth(gateway)
      else await testbed.killDatabase()
      if (victim !== 'database') gateway = await testbed.start()
      // Responses that were already in flight do not show that the gateway works again.
      else await sleep(answersUnderWayMs)
      const atKill = suppliers.acknowledged
      await until(
        `acknowledgements after a kill of ${victim}`,
        () => suppliers.acknowledged > atKill,
        describe,
      )
      const awayMs = performance.now() - killedAtMs
      longestReadyMs = Math.max(longestReadyMs, awayMs)
      note(
        `round ${round}: ${victim}, ${suppliers.acknowledged - before} acknowledged, acknowledging again after ${(awayMs / 1_000).toFixed(1)} s`,
      )
    }
    const address = await testbed.address()
    if (address === undefined) throw new Error('The database is not running at the end of the drill')
    const { isPassed, figures } = await judge({ note }, address, suppliers, periodic)
    return {
      isPassed,
      figures: [
        ...figures,
        `${options.rounds} kills`,
        `acknowledging again after at most ${(longestReadyMs / 1_000).toFixed(1)} s`,
      ],
    }
  },
})
