// Two nodes on one database: one freezes and comes back, or both are restarted one after the other.
import { setTimeout as sleep } from 'node:timers/promises'
import { addSupplier, changePrices } from './business.ts'
import { until } from './conditions.ts'
import { defineDrill, type DrillRun, type Options } from './define.ts'
import { judge, startStandingCheck } from './judge.ts'
import { Senders } from './senders.ts'
import { makeSharedStand } from './shared-stand.ts'

async function startNodes({ onEnd, random }: Pick<DrillRun<Options>, 'onEnd' | 'random'>, perSecond: number) {
  const stand = await makeSharedStand({ onEnd })
  const nodes = [await stand.addNode(), await stand.addNode()] as const
  const senders = new Senders({
    ...(await addSupplier(nodes[0].url)),
    ports: nodes.map(({ smppPort }) => smppPort),
    digits: stand.digits,
    binds: 8,
    window: 50,
    perSecond,
    // A bind on the other node does not know the messages that this one lost (decision 43).
    repeatShare: 0,
    random,
  })
  onEnd(() => senders.stop())
  const standing = startStandingCheck({ onEnd }, async () => stand.address)
  senders.start()
  await until('both nodes have binds', () => senders.boundCount >= 8)
  return { stand, nodes, senders, standing }
}

/** design.md: another node takes over a frozen node's work within this time. */
const takeoverMostMs = 15_000

export const frozen = defineDrill({
  name: 'frozen-node',
  summary: 'of two nodes one is frozen (SIGSTOP) under load for up to --seconds, and comes back',
  options: { rounds: 6, seconds: 25, perSecond: 2_000 },
  short: { rounds: 1, seconds: 3, perSecond: 500 },
  async run({ options, random, note, onEnd }) {
    const { stand, nodes, senders, standing } = await startNodes({ onEnd, random }, options.perSecond)
    let longestMs = 0
    for (let round = 1; round <= options.rounds; round += 1) {
      const [victim, other] = random.chance(0.5) ? nodes : [nodes[1], nodes[0]]
      const seconds = options.seconds * (0.5 + random.below(500) / 1_000)
      senders.restartPauses()
      process.kill(victim.gateway().pid, 'SIGSTOP')
      await sleep(seconds * 500)
      // The frozen node must not hold the traffic gate for long.
      const askedAtMs = performance.now()
      await changePrices(other.url, random)
      const changeMs = performance.now() - askedAtMs
      await sleep(seconds * 500)
      process.kill(victim.gateway().pid, 'SIGCONT')
      const before = senders.acknowledged
      await until('acknowledgements', () => senders.acknowledged > before)
      longestMs = Math.max(longestMs, senders.longestPauseMs, changeMs)
      note(
        `round ${round}: frozen for ${seconds.toFixed(1)} s, longest pause ${(senders.longestPauseMs / 1_000).toFixed(1)} s, a price changed in ${(changeMs / 1_000).toFixed(1)} s`,
      )
      await until('the binds are back', () => senders.boundCount >= 8)
      await sleep(500)
    }
    const judged = await judge({ note }, stand.address, senders, standing)
    return {
      isPassed: judged.isPassed && longestMs <= takeoverMostMs,
      figures: [
        ...judged.figures,
        `longest pause ${(longestMs / 1_000).toFixed(1)} s`,
        `${senders.journal.unanswered} left without an answer by the frozen node`,
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
    const { stand, nodes, senders, standing } = await startNodes({ onEnd, random }, options.perSecond)
    let longestStopMs = 0
    senders.restartPauses()
    for (let round = 1; round <= options.rounds; round += 1)
      for (const [place, node] of nodes.entries()) {
        await sleep(500 + random.below(500))
        const other = nodes[1 - place] ?? node
        const stoppedAtMs = performance.now()
        await node.gateway().stop('SIGTERM')
        const stopMs = performance.now() - stoppedAtMs
        longestStopMs = Math.max(longestStopMs, stopMs)
        await changePrices(other.url, random)
        const before = senders.acknowledged
        await until('the other node acknowledges', () => senders.acknowledged > before)
        await node.start()
        note(`round ${round}, node ${place + 1}: stopped in ${(stopMs / 1_000).toFixed(1)} s`)
      }
    const pauseMs = senders.longestPauseMs
    const judged = await judge({ note }, stand.address, senders, standing)
    return {
      // operations.md: a stop takes 35 s at most.
      isPassed: judged.isPassed && longestStopMs <= 35_000,
      figures: [
        ...judged.figures,
        `longest stop ${(longestStopMs / 1_000).toFixed(1)} s`,
        `longest pause ${(pauseMs / 1_000).toFixed(1)} s`,
        `${senders.journal.unanswered} left without an answer`,
      ],
    }
  },
})
