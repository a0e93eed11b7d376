// Two nodes go from one version to the next, one after the other and under load. The first is killed while it migrates and
// again when it serves; the other works on with the newer schema. Then the way back: the backup from before the upgrade.
import { execFile } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { startGateway } from '../test/environment/children.ts'
import { freePort } from '../test/environment/free-port.ts'
import { benchPassword, signInAsAdmin } from '../test/http/operator.ts'
import { findRunning } from '../src/storage/embedded/find-running.ts'
import { addSupplier, changePrices, cycleSeconds } from './business.ts'
import { checkAll, verdictOf } from './checker.ts'
import { until } from './conditions.ts'
import { defineDrill, type DrillOptions, type DrillRun } from './define.ts'
import { drillFolder } from './embedded-testbed.ts'
import { fillSlices } from './fill-slices.ts'
import { judge } from './judge.ts'
import { startLoadedNodes } from './loaded-nodes.ts'
import { makeNextVersion, versionIn, type NextVersion, type ProgramVersion } from './next-version.ts'
import type { Random } from './random.ts'
import { noteRows } from './rows-kept.ts'
import { keyOfAllNodes, type SharedTestbed, type TestbedNode } from './shared-testbed.ts'
import { Suppliers } from './suppliers.ts'
import { watchStep, type StepWatch } from './watch-step.ts'

const exec = promisify(execFile)
const binds = 8
// A bind on the other node does not know the messages that a killed one lost (decision 23): they stay unanswered.
const repeatShare = 0
/** A stop takes so long at most. */
const stopMaxMs = 35_000

export const upgrade = defineDrill({
  name: 'upgrade',
  summary:
    'two nodes under load, with data of all slices, go to the next version, with a kill -9 in its migration, and back by the backup; --from is the folder of an unpacked release, this version where it is empty; --messages are acknowledged before',
  options: { messages: 20_000, perSecond: 2_000, from: '' },
  short: { messages: 1_000, perSecond: 500 },
  async run({ options, random, note, onEnd }) {
    const folder = await drillFolder({ onEnd })
    const next = await makeNextVersion(join(folder, 'next'))
    const former = versionIn(options.from === '' ? '' : resolve(options.from))
    const { testbed, nodes, suppliers, periodic } = await startLoadedNodes(
      { onEnd, random },
      [{}, {}],
      { perSecond: options.perSecond, binds, repeatShare },
      former,
    )
    const [{ url, smppPort }] = nodes
    await fillSlices({ url, smppPort, call: await signInAsAdmin(url) })
    const drill = new UpgradeDrill({ note, onEnd, random, former, next, testbed, nodes, suppliers })
    await until(
      'the messages before the upgrade',
      () => suppliers.acknowledged >= options.messages,
      () => suppliers.describe(),
      beforeMaxMinutes,
    )

    const inBackup = suppliers.acknowledged
    await drill.former('backup', join(folder, 'backup'), ['--data-dir', testbed.dataDir, ...copyRate])
    const step = await watchStep({ onEnd }, testbed.address, next.step)
    const compareRows = await noteRows(testbed.address, onEnd)
    suppliers.restartPauses()
    await drill.killMigration(step)
    const migration = await drill.migrate(step)
    const rows = await compareRows()
    for (const fault of rows.faults) note(fault)
    await drill.formerOnNewer()
    await drill.replaceSecond()
    const pauseMs = suppliers.longestPauseMs
    const judged = await judge({ note }, testbed.address, suppliers, periodic)

    const restored = await drill.restore(join(folder, 'backup'), join(folder, 'restored'), inBackup)
    for (const fault of drill.faults) note(fault)
    const refused = [...suppliers.journal.refused.values()].reduce((sum, count) => sum + count, 0)
    return {
      isPassed: judged.isPassed && restored.isPassed && drill.faults.length === 0 && rows.faults.length === 0,
      isInTime: drill.longestStopMs <= stopMaxMs,
      figures: [
        ...judged.figures,
        `of ${rows.filled} tables with rows the migration left ${rows.same} as they were, ${rows.grown} only grew and ${rows.changed} were worked on meanwhile`,
        migration,
        `longest stop ${(drill.longestStopMs / 1_000).toFixed(1)} s`,
        `longest pause ${(pauseMs / 1_000).toFixed(1)} s`,
        `${refused} refused for now and sent again`,
        `${suppliers.journal.unanswered} left without an answer by the killed node`,
        `restored of ${inBackup.toLocaleString('en')} before the backup: ${restored.figures.slice(1).join(', ')}`,
      ],
    }
  },
})

const newerLine =
  /^The database was made by a newer Tollgate \(it has \d{4}_\w+\.sql, unknown here\)\. Start that version instead\.$/
/** A million messages take their time on a busy machine. */
const beforeMaxMinutes = 60
const copyRate = ['--megabytes-per-second', '256']

interface UpgradeParts extends Pick<DrillRun<DrillOptions>, 'note' | 'onEnd'> {
  readonly random: Random
  /** The version before. */
  readonly former: ProgramVersion
  readonly next: NextVersion
  readonly testbed: SharedTestbed
  readonly nodes: readonly [TestbedNode, TestbedNode]
  readonly suppliers: Suppliers
}

/** The parts of the drill, in the order in which they are called. */
class UpgradeDrill {
  readonly faults: string[] = []
  longestStopMs = 0
  readonly #parts: UpgradeParts

  constructor(parts: UpgradeParts) {
    this.#parts = parts
  }

  /** Runs a command of the former version. */
  async former(name: string, argument: string, more: readonly string[]): Promise<void> {
    const { former, note } = this.#parts
    const { stdout } = await exec(process.execPath, [
      join(dirname(former.program), `${name}.js`),
      argument,
      ...more,
    ])
    note(`${name}: ${stdout.trim().split('\n')[0]}`)
  }

  /**
   * The first node is stopped and starts as the next version, while somebody reads the records. So its migration waits, with
   * all but the last part done, and is killed there.
   */
  async killMigration(step: StepWatch): Promise<void> {
    const { nodes, next, note } = this.#parts
    const [first] = nodes
    await this.#stop(first)
    const reader = await step.readRecords()
    const starting = await first.begin(next.program)
    await until(
      'the migration waits for the records',
      () => step.isWaiting(),
      () => starting.describe(),
    )
    await starting.stop('SIGKILL')
    await reader.end()
    await until('the killed migration is over', () => step.isOver())
    const { there } = await step.parts()
    this.#expect(there === 0, `${there} parts of the killed migration are there`)
    await this.#acknowledges('on the former version after the kill')
    note('the first node was killed -9 in its migration: nothing of it is there')
  }

  /** The first node starts as the next version. Returns how long it took. */
  async migrate(step: StepWatch): Promise<string> {
    const { nodes, next } = this.#parts
    const records = await step.countRecords()
    const timed = step.time()
    const startedAtMs = performance.now()
    await nodes[0].start(next.program)
    const readyMs = performance.now() - startedAtMs
    const { there, all } = await step.parts()
    this.#expect(there === all, `${there} of ${all} parts of the migration are there`)
    return `the migration took ${await timed} ms with ${records.toLocaleString('en')} records, its node was ready after ${(readyMs / 1_000).toFixed(1)} s`
  }

  /** The next version is killed under load: the former one serves everybody, with the newer schema. It cannot start on it. */
  async formerOnNewer(): Promise<void> {
    const { nodes, suppliers, random, next, former, note } = this.#parts
    const [first, second] = nodes
    suppliers.moveHalf()
    await until('both versions have binds', () => suppliers.boundTo(first.smppPort) === binds / 2)
    await this.#acknowledges('on both versions')
    await first.gateway().stop('SIGKILL')
    await until('the former version has all binds', () => suppliers.boundTo(second.smppPort) === binds)
    await changePrices(second.url, random)
    await this.#acknowledges('on the former version, with the newer schema')
    const { status } = await fetch(`${second.url}/readyz`)
    this.#expect(status === 200, `/readyz of the former version with the newer schema: ${status}`)
    const log = second.gateway().describe()
    this.#expect(!log.includes('"level":"error"'), `the former version wrote errors: ${log}`)

    // Side by side: the refused start needs nothing of the other.
    const [said] = await Promise.all([refusalOf(first, former.program), first.start(next.program)])
    this.#expect(
      newerLine.test(said),
      `a start of the former version with the newer schema should be refused: ${said}`,
    )
    note(`the former version serves on with the newer schema; a start of it says: ${said}`)
  }

  async replaceSecond(): Promise<void> {
    const { nodes, next, random, suppliers } = this.#parts
    const [, second] = nodes
    await this.#stop(second)
    await this.#acknowledges('on the next version alone')
    await second.start(next.program)
    suppliers.moveHalf()
    await until('both nodes have binds', () => suppliers.boundTo(second.smppPort) === binds / 2)
    await changePrices(second.url, random)
    await this.#acknowledges('on two nodes of the next version')
  }

  /** The former version restores the backup and takes traffic on it. `inBackup`: acknowledged when it began. */
  async restore(backup: string, dataDir: string, inBackup: number) {
    const { former, note, onEnd, suppliers, testbed, random } = this.#parts
    await this.former('restore', backup, ['--data-dir', dataDir])
    const settings = {
      SMPP_PORT: String(await freePort()),
      SECRET_KEY: keyOfAllNodes,
      BILLING_CYCLE_SECONDS: String(cycleSeconds),
    }
    const gateway = await startGateway('', dataDir, benchPassword, settings, former.program)
    onEnd(() => gateway.stop('SIGTERM'))
    const address = await findRunning(dataDir)
    if (address === undefined) throw new Error('The restored database is not running')
    const { journal } = suppliers
    const acknowledgedIds = journal.acknowledgedIds.slice(0, inBackup)
    const { isPassed, breaches, figures } = verdictOf(
      await checkAll(address, [{ ...journal, acknowledgedIds }]),
    )
    for (const breach of breaches) note(`restored: ${breach}`)

    const after = new Suppliers(
      {
        ...(await addSupplier(gateway.url)),
        ports: [gateway.port],
        digits: testbed.digits,
        binds: 2,
        window: 10,
        perSecond: 100,
        repeatShare,
        random,
      },
      suppliers.nextKey,
    )
    onEnd(() => after.stop())
    after.start()
    await until('the restored gateway acknowledges', () => after.acknowledged > 0)
    await after.stop()
    await gateway.stop()
    return { isPassed, figures: figures(inBackup) }
  }

  #expect(isSo: boolean, fault: string): void {
    if (!isSo) this.faults.push(fault)
  }

  async #acknowledges(how: string): Promise<void> {
    const { suppliers } = this.#parts
    // What was under way does not show it.
    const enough = suppliers.acknowledged + 2 * binds
    await until(
      `acknowledgements ${how}`,
      () => suppliers.acknowledged > enough,
      () => suppliers.describe(),
    )
  }

  /** Stops a node as an operator does. */
  async #stop(node: TestbedNode): Promise<void> {
    const startedAtMs = performance.now()
    await node.gateway().stop('SIGTERM')
    this.longestStopMs = Math.max(this.longestStopMs, performance.now() - startedAtMs)
  }
}

/** All that a start wrote which ended by itself with status 1; otherwise what it did instead. */
async function refusalOf(node: TestbedNode, program: string): Promise<string> {
  const gateway = await node.begin(program)
  try {
    await gateway.ready
  } catch (error) {
    const { message } = error as Error
    return /^ended with status 1: (.*)\n$/s.exec(message)?.[1] ?? message
  }
  await gateway.stop('SIGKILL')
  return 'it was ready'
}
