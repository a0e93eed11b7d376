// The gateway's clock steps forward and back under load, while the database's clock does not.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { changePrices } from './business.ts'
import { until } from './conditions.ts'
import { defineDrill } from './define.ts'
import { drillFolder } from './embedded-testbed.ts'
import { judge } from './judge.ts'
import { startLoadedNodes } from './loaded-nodes.ts'

/** A clock without NTP, a time zone mistaken for UTC, a wrong date: offsets in seconds, in both directions. */
const stepsSeconds = [2, 45, 600, 3_600, 86_400]

export const clock = defineDrill({
  name: 'clock',
  summary: "the gateway's clock steps forward and back by seconds up to a day, under load",
  options: { rounds: 20, seconds: 3, perSecond: 2_000 },
  short: { rounds: 3, seconds: 1, perSecond: 500 },
  async run({ options, random, note, onEnd }) {
    const file = join(await drillFolder({ onEnd }), 'clock')
    await writeFile(file, '0')
    const environment = {
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'skewed-clock.js')).href}`,
      DRILL_CLOCK_FILE: file,
      // A step of a day must not open thousands of cycles.
      BILLING_CYCLE_SECONDS: '43200',
    }
    const { testbed, nodes, suppliers, periodic } = await startLoadedNodes({ onEnd, random }, [environment], {
      perSecond: options.perSecond,
    })
    const [node] = nodes
    await until('acknowledgements', () => suppliers.acknowledged > 0)
    suppliers.restartPauses()
    for (let round = 1; round <= options.rounds; round += 1) {
      const offSeconds = random.pick(stepsSeconds) * (random.chance(0.5) ? 1 : -1)
      await writeFile(file, String(offSeconds * 1_000))
      await sleep(options.seconds * 500)
      await changePrices(node.url, random)
      const before = suppliers.acknowledged
      await sleep(options.seconds * 500)
      await until('acknowledgements after the step', () => suppliers.acknowledged > before)
      note(
        `round ${round}: ${offSeconds > 0 ? '+' : ''}${offSeconds} s, longest pause so far ${suppliers.longestPauseMs.toFixed(0)} ms`,
      )
    }
    const pauseMs = suppliers.longestPauseMs
    const judged = await judge({ note }, testbed.address, suppliers, periodic)
    return {
      isPassed: judged.isPassed && suppliers.journal.unanswered === 0,
      figures: [
        ...judged.figures,
        `${options.rounds} steps`,
        `longest pause ${(pauseMs / 1_000).toFixed(1)} s`,
        suppliers.describeUnanswered(),
      ],
    }
  },
})
