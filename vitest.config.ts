import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { quickFolder } from './server/test/environment/quick-folder.ts'

// Promises of a second or of some megabytes are measured here: nothing else may run beside them.
const measured = [
  'server/src/kill.test.ts',
  'server/src/noisy-*.test.ts',
  'server/src/gateway/conformance.test.ts',
  'server/src/records/feed/live-feed.test.ts',
  'server/src/users/sign-in/sign-in-time.test.ts',
]

// Whole programs are started, killed and waited for.
const programs = [
  'server/src/{balancers,cdr-kill,conformance,deliver-kill,demo,dev,events-kill,links-kill,links-tls,main,reset-password,rotate-key,send,two-nodes}.test.ts',
  'server/drills/drills.test.ts',
  'server/peers/peers.test.ts',
]

/** Vitest begins with the largest files. The drills are a small one that takes longest: begun last, it ran alone for a minute. */
class DrillsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isDrills = ({ moduleId }: TestSpecification) => moduleId.endsWith('/server/drills/drills.test.ts')
    return [...sorted.filter(isDrills), ...sorted.filter((file) => !isDrills(file))]
  }
}

// These end what hangs, on a slow and busy machine too. What must be quick is measured by the test that promises it.
const patience = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}

// The tests of each file run in an order by chance. The seed is fixed, so that a red gate is red for its commit; another
// one tries another order.
const seed = Number(process.env['TEST_SEED'] ?? 22)
console.log(`Tests run shuffled by TEST_SEED=${seed}.`)
const inGroup = (groupOrder: number) => ({ sequence: { groupOrder } })

// Database tests share one cluster, made in server/test/environment/cluster.ts; programs are built once, in server/test/environment/build.ts.
const onServer = {
  ...patience,
  environment: 'node' as const,
  globalSetup: ['server/test/environment/cluster.ts'],
}
const onPrograms = {
  ...onServer,
  globalSetup: [...onServer.globalSetup, 'server/test/environment/build.ts'],
  // Programs start, some of them several times in a test, and take over what a dead one held.
  testTimeout: 300_000,
  hookTimeout: 300_000,
}

// One project for each kind of surroundings. The groups run one after the other.
export default defineConfig({
  test: {
    maxWorkers: 2,
    // A second run of one server test takes half as long. The cache goes by the content of each file.
    experimental: { fsModuleCache: true },
    sequence: { seed, shuffle: { tests: true }, sequencer: DrillsFirst },
    projects: [
      {
        test: {
          ...patience,
          ...inGroup(0),
          name: 'contract',
          include: ['contract/src/**/*.test.ts'],
          environment: 'node',
        },
      },
      {
        test: {
          ...patience,
          ...inGroup(0),
          name: 'smpp',
          include: ['smpp/src/**/*.test.ts'],
          environment: 'node',
        },
      },
      {
        test: {
          ...patience,
          ...inGroup(0),
          name: 'tools',
          include: ['tools/**/*.test.ts'],
          environment: 'node',
        },
      },
      {
        test: {
          ...patience,
          ...inGroup(0),
          name: 'web',
          include: ['web/src/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          // A page loads the whole console, so a worker loads it once; setup.ts puts back what a test changes.
          isolate: false,
          setupFiles: ['web/src/testing/setup.ts'],
        },
      },
      {
        test: {
          ...onServer,
          ...inGroup(1),
          name: 'server',
          include: ['server/**/*.test.ts'],
          exclude: [...measured, ...programs, '**/node_modules/**'],
          // Each file has its own database and keeps nothing in modules, so a worker loads the server once.
          isolate: false,
          // Most files wait more than they work.
          maxWorkers: 3,
        },
      },
      {
        test: {
          ...onPrograms,
          ...inGroup(2),
          name: 'programs',
          include: programs,
          // Each program has a database of its own. Five drills at once were seen to take 700 MB.
          env: { TMPDIR: quickFolder(4 * 1024 ** 3) },
          maxWorkers: 3,
        },
      },
      { test: { ...onPrograms, ...inGroup(3), name: 'measured', include: measured, maxWorkers: 1 } },
    ],
  },
})
