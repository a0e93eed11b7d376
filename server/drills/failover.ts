// The database's primary is lost under load and its standby is promoted: no acknowledged message is lost, and messages are
// acknowledged again within seconds. There is no cluster manager, so that only the gateway's own time is measured.
import { setTimeout as sleep } from 'node:timers/promises'
import { startGateway } from '../test/environment/children.ts'
import { benchPassword } from '../test/http/operator.ts'
import { changePrices, cycleSeconds } from './business.ts'
import { until } from './conditions.ts'
import { defineDrill } from './define.ts'
import { drillFolder } from './embedded-testbed.ts'
import { judge } from './judge.ts'
import { databaseName, startServerPair, type ServerPair } from './pair-of-servers.ts'
import { startLoad } from './start-load.ts'
import { TcpSwitch } from './tcp-switch.ts'

/** The figure to reach: the time from the promotion to the first acknowledgement. */
const recoveryMaxMs = 5_000

const faults = {
  /** The machine lost its power. */
  kill: (pair: ServerPair) => pair.primary.signal('SIGKILL'),
  /** It freezes with all connections open. */
  freeze: (pair: ServerPair) => pair.primary.signal('SIGSTOP'),
  /** The network to it is cut silently. It goes on alone as a primary. */
  cut: (_: ServerPair, line: TcpSwitch) => line.turn('silent'),
  /** First replication stops, so that commits wait; then the primary is lost with what only it had. */
  behind: async (pair: ServerPair) => {
    await pair.replication.turn('silent')
    // Longer than a writer waits for a commit; after that it ends the waiting backend and looks its batch up.
    await sleep(12_000)
    await pair.primary.signal('SIGKILL')
    await pair.replication.turn('refuse')
  },
} as const

export const failover = defineDrill({
  name: 'failover',
  summary: `the database's primary is lost and its standby promoted; --fault ${Object.keys(faults).join(', ')}`,
  options: { seconds: 10, perSecond: 2_000, fault: 'kill' },
  short: { seconds: 1, perSecond: 1_000, fault: 'freeze' },
  async run({ options, random, note, onEnd }) {
    if (!(options.fault in faults)) throw new Error(`--fault is one of ${Object.keys(faults).join(', ')}`)
    const pair = await startServerPair({ onEnd })
    const line = new TcpSwitch(() => ({ port: pair.primary.port }))
    await line.open()
    onEnd(() => line.close())
    const gateway = await startGateway(
      `postgres://postgres@127.0.0.1:${line.port},127.0.0.1:${pair.standby.port}/${databaseName}?target_session_attrs=read-write`,
      await drillFolder({ onEnd }),
      benchPassword,
      { BILLING_CYCLE_SECONDS: String(cycleSeconds) },
    )
    onEnd(() => gateway.stop('SIGTERM'))
    let current = pair.primary
    const { suppliers, periodic } = await startLoad(
      { onEnd, random },
      { url: gateway.url, ports: [gateway.port], digits: pair.digits, address: async () => current.url },
      { perSecond: options.perSecond, binds: 8 },
    )
    await until('the first acknowledgements', () => suppliers.acknowledged > 0)
    await sleep(options.seconds * 500)
    await changePrices(gateway.url, random)
    await sleep(options.seconds * 500 + random.below(500))

    suppliers.restartPauses()
    const lostAtMs = performance.now()
    await faults[options.fault as keyof typeof faults](pair, line)
    // A cluster manager waits for a while before it promotes, too.
    await sleep(random.between(500, 2_500))
    await pair.standby.ask('select pg_promote()')
    const promotedAtMs = performance.now()
    current = pair.standby
    const atPromotion = suppliers.acknowledged
    await until('acknowledgements after the promotion', () => suppliers.acknowledged > atPromotion)
    const backMs = performance.now() - promotedAtMs
    note(
      `${options.fault}: promoted ${((promotedAtMs - lostAtMs) / 1_000).toFixed(1)} s after the loss, acknowledging ${(backMs / 1_000).toFixed(2)} s after the promotion`,
    )
    await sleep(options.seconds * 500)
    // The old primary comes back and does not know that it was replaced: nothing may be written to it.
    await pair.primary.signal('SIGCONT')
    await line.turn('pass')
    await changePrices(gateway.url, random)
    await sleep(options.seconds * 500 + 2_000)
    const { isPassed, figures } = await judge({ note }, pair.standby.url, suppliers, periodic)
    return {
      isPassed,
      isInTime: backMs <= recoveryMaxMs,
      figures: [
        ...figures,
        `acknowledging again ${(backMs / 1_000).toFixed(2)} s after the promotion`,
        `longest answer ${(suppliers.longestAnswerMs / 1_000).toFixed(1)} s`,
        `${[...suppliers.journal.refused.values()].reduce((sum, count) => sum + count, 0)} refused for now`,
      ],
    }
  },
})
