// Two nodes on one database: one freezes and comes back, or both are restarted one after the other.
import { setTimeout as sleep } from 'node:timers/promises'
import { changePrices } from './business.ts'
import { until } from './conditions.ts'
import { defineDrill, type DrillRun, type DrillOptions } from './define.ts'
import { judge } from './judge.ts'
import { startLoadedNodes } from './loaded-nodes.ts'

async function startNodes(
  { onEnd, random }: Pick<DrillRun<DrillOptions>, 'onEnd' | 'random'>,
  perSecond: number,
) {
  // A bind on the other node does not know the messages that this one lost (decision 23).
  const load = { perSecond, binds: 8, repeatShare: 0 }
  const started = await startLoadedNodes({ onEnd, random }, [{}, {}], load)
  await until('both nodes have binds', () => started.suppliers.boundCount >= 8)
  return started
}

/** Another node takes over a frozen node's work within this time. */
const takeoverMaxMs = 15_000

export const frozen = defineDrill({
  name: 'frozen-node',
  summary: 'of two nodes one is frozen (SIGSTOP) under load for up to --seconds, and comes back',
  options: { rounds: 6, seconds: 25, perSecond: 2_000 },
  short: { rounds: 1, seconds: 3, perSecond: 500 },
  async run({ options, random, note, onEnd }) {
    const { testbed, nodes, suppliers, periodic } = await startNodes({ onEnd, random }, options.perSecond)
    let longestMs = 0
    for (let round = 1; round <= options.rounds; round += 1) {
      const [victim, other] = random.chance(0.5) ? nodes : [nodes[1], nodes[0]]
      const seconds = options.seconds * (0.5 + random.below(500) / 1_000)
      suppliers.restartPauses()
      process.kill(victim.gateway().pid, 'SIGSTOP')
      await sleep(seconds * 500)
      // The frozen node must not hold the traffic gate for long.
      const requestedAtMs = performance.now()
      await changePrices(other.url, random)
      const changeMs = performance.now() - requestedAtMs
      await sleep(seconds * 500)
      process.kill(victim.gateway().pid, 'SIGCONT')
      const before = suppliers.acknowledged
      await until('acknowledgements', () => suppliers.acknowledged > before)
      longestMs = Math.max(longestMs, suppliers.longestPauseMs, changeMs)
      note(
        `round ${round}: frozen for ${seconds.toFixed(1)} s, longest pause ${(suppliers.longestPauseMs / 1_000).toFixed(1)} s, a price changed in ${(changeMs / 1_000).toFixed(1)} s`,
      )
      await until('the binds are back', () => suppliers.boundCount >= 8)
      await sleep(500)
    }
    const judged = await judge({ note }, testbed.address, suppliers, periodic)
    return {
      isPassed: judged.isPassed,
      isInTime: longestMs <= takeoverMaxMs,
      figures: [
        ...judged.figures,
        `longest pause ${(longestMs / 1_000).toFixed(1)} s`,
        `${suppliers.journal.unanswered} left without an answer by the frozen node`,
      ],
    }
  },
})

export const rolling = defineDrill({
  name: 'rolling-restart',
  summary: 'two nodes are stopped and started one after the other under load, as an upgrade does',
  options: { rounds: 5, perSecond: 2_000 },
  short: { rounds: 1, perSecond: 500 },
  async run({ options, random, note, onEnd }) {
    const { testbed, nodes, suppliers, periodic } = await startNodes({ onEnd, random }, options.perSecond)
    let longestStopMs = 0
    suppliers.restartPauses()
    for (let round = 1; round <= options.rounds; round += 1)
      for (const [place, node] of nodes.entries()) {
        await sleep(500 + random.below(500))
        const other = nodes[1 - place] ?? node
        const stoppedAtMs = performance.now()
        await node.gateway().stop('SIGTERM')
        const stopMs = performance.now() - stoppedAtMs
        longestStopMs = Math.max(longestStopMs, stopMs)
        await changePrices(other.url, random)
        const before = suppliers.acknowledged
        await until('the other node acknowledges', () => suppliers.acknowledged > before)
        await node.start()
        note(`round ${round}, node ${place + 1}: stopped in ${(stopMs / 1_000).toFixed(1)} s`)
      }
    const pauseMs = suppliers.longestPauseMs
    const judged = await judge({ note }, testbed.address, suppliers, periodic)
    return {
      isPassed: judged.isPassed,
      // A stop takes 35 s at most.
      isInTime: longestStopMs <= 35_000,
      figures: [
        ...judged.figures,
        `longest stop ${(longestStopMs / 1_000).toFixed(1)} s`,
        `longest pause ${(pauseMs / 1_000).toFixed(1)} s`,
        `${suppliers.journal.unanswered} left without an answer`,
      ],
    }
  },
})
