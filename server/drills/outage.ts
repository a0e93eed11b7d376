// The connection to the database fails in various ways under load. Peers stay bound, get a temporary error, and are
// acknowledged again soon after the database is back.
import { setTimeout as sleep } from 'node:timers/promises'
import { changePrices } from './business.ts'
import { until } from './conditions.ts'
import { defineDrill } from './define.ts'
import { judge } from './judge.ts'
import type { Random } from './random.ts'
import { startLoadedNodes } from './loaded-nodes.ts'
import type { SharedTestbed } from './shared-testbed.ts'

/** Ready again within 10 s after the database is back. */
const recoveryMaxMs = 10_000

type Outage = (testbed: SharedTestbed, seconds: number, random: Random) => Promise<void>

/** Each lasts the given seconds and restores the connection at its end. */
const harms: Readonly<Record<string, Outage>> = {
  async stopped(testbed, seconds) {
    await testbed.stopDatabase()
    await sleep(seconds * 1_000)
    await testbed.startDatabase()
  },
  async refused(testbed, seconds) {
    await testbed.line.turn('refuse')
    await sleep(seconds * 1_000)
    await testbed.line.turn('pass')
  },
  async silent(testbed, seconds) {
    await testbed.line.turn('silent')
    await sleep(seconds * 1_000)
    await testbed.line.turn('pass')
  },
  async slow(testbed, seconds, random) {
    await testbed.line.turn('slow', random.between(50, 800))
    await sleep(seconds * 1_000)
    await testbed.line.turn('pass')
  },
  async resetting(testbed, seconds, random) {
    const endsAtMs = performance.now() + seconds * 1_000
    while (performance.now() < endsAtMs) {
      testbed.line.resetAll()
      await sleep(random.between(20, 400))
    }
  },
}

export const outage = defineDrill({
  name: 'outage',
  summary: `the database ${Object.keys(harms).join(', ')}, in turns under load; --seconds is how long each lasts at most`,
  options: { rounds: 20, seconds: 8, perSecond: 2_000 },
  short: { rounds: 5, seconds: 1, perSecond: 500 },
  async run({ options, random, note, onEnd }) {
    const { testbed, nodes, suppliers, periodic } = await startLoadedNodes({ onEnd, random }, [{}], {
      perSecond: options.perSecond,
    })
    const [node] = nodes
    let longestBackMs = 0
    for (let round = 0; round < options.rounds; round += 1) {
      await until('acknowledgements', () => suppliers.acknowledged > 0)
      await changePrices(node.url, random)
      const names = Object.keys(harms)
      const name = names[round % names.length] ?? ''
      const seconds = options.seconds * (0.5 + random.below(500) / 1_000)
      await harms[name]?.(testbed, seconds, random)
      const [backAtMs, before] = [performance.now(), suppliers.acknowledged]
      await until('acknowledgements after the outage', () => suppliers.acknowledged > before)
      const backMs = performance.now() - backAtMs
      longestBackMs = Math.max(longestBackMs, backMs)
      note(
        `round ${round + 1}: ${name} for ${seconds.toFixed(1)} s, acknowledging ${(backMs / 1_000).toFixed(2)} s after`,
      )
      await sleep(300 + random.below(500))
    }
    const judged = await judge({ note }, testbed.address, suppliers, periodic)
    const { refused, unanswered } = suppliers.journal
    return {
      isPassed: judged.isPassed && unanswered === 0,
      isInTime: longestBackMs <= recoveryMaxMs,
      figures: [
        ...judged.figures,
        `acknowledging again after ${(longestBackMs / 1_000).toFixed(1)} s at most`,
        `${[...refused.values()].reduce((sum, count) => sum + count, 0)} refused for now`,
        suppliers.describeUnanswered(),
      ],
    }
  },
})
