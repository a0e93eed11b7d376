// The connection to the database fails in various ways under load. Peers stay bound, get a temporary error, and are
// acknowledged again soon after the database is back.
import { setTimeout as sleep } from 'node:timers/promises'
import { addSupplier, changePrices } from './business.ts'
import { until } from './conditions.ts'
import { defineDrill } from './define.ts'
import { judge, startStandingCheck } from './judge.ts'
import type { Random } from './random.ts'
import { Senders } from './senders.ts'
import { makeSharedStand, type SharedStand } from './shared-stand.ts'

/** operations.md: ready again within 10 s after the database is back. */
const backMostMs = 10_000

type Harm = (stand: SharedStand, seconds: number, random: Random) => Promise<void>

/** Each lasts the given seconds and restores the connection at its end. */
const harms: Readonly<Record<string, Harm>> = {
  async stopped(stand, seconds) {
    await stand.stopDatabase()
    await sleep(seconds * 1_000)
    await stand.startDatabase()
  },
  async refused(stand, seconds) {
    await stand.line.turn('refuse')
    await sleep(seconds * 1_000)
    await stand.line.turn('pass')
  },
  async silent(stand, seconds) {
    await stand.line.turn('silent')
    await sleep(seconds * 1_000)
    await stand.line.turn('pass')
  },
  async slow(stand, seconds, random) {
    await stand.line.turn('slow', random.between(50, 800))
    await sleep(seconds * 1_000)
    await stand.line.turn('pass')
  },
  async resetting(stand, seconds, random) {
    const endsAtMs = performance.now() + seconds * 1_000
    while (performance.now() < endsAtMs) {
      stand.line.resetAll()
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
    const stand = await makeSharedStand({ onEnd })
    const node = await stand.addNode()
    const senders = new Senders({
      ...(await addSupplier(node.url)),
      ports: [node.smppPort],
      digits: stand.digits,
      binds: 6,
      window: 50,
      perSecond: options.perSecond,
      repeatShare: 0.5,
      random,
    })
    onEnd(() => senders.stop())
    const standing = startStandingCheck({ onEnd }, async () => stand.address)
    senders.start()
    let longestBackMs = 0
    for (let round = 0; round < options.rounds; round += 1) {
      await until('acknowledgements', () => senders.acknowledged > 0)
      await changePrices(node.url, random)
      const names = Object.keys(harms)
      const name = names[round % names.length] ?? ''
      const seconds = options.seconds * (0.5 + random.below(500) / 1_000)
      await harms[name]?.(stand, seconds, random)
      const [backAtMs, before] = [performance.now(), senders.acknowledged]
      await until('acknowledgements after the outage', () => senders.acknowledged > before)
      const backMs = performance.now() - backAtMs
      longestBackMs = Math.max(longestBackMs, backMs)
      note(
        `round ${round + 1}: ${name} for ${seconds.toFixed(1)} s, acknowledging ${(backMs / 1_000).toFixed(2)} s after`,
      )
      await sleep(300 + random.below(500))
    }
    const judged = await judge({ note }, stand.address, senders, standing)
    const { refused, unanswered } = senders.journal
    return {
      isPassed: judged.isPassed && longestBackMs <= backMostMs && unanswered === 0,
      figures: [
        ...judged.figures,
        `acknowledging again after ${(longestBackMs / 1_000).toFixed(1)} s at most`,
        `${[...refused.values()].reduce((sum, count) => sum + count, 0)} told to come again`,
        `${unanswered} left without an answer by a link that broke`,
      ],
    }
  },
})
