import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { quickFolder } from './server/test/environment/quick-folder.ts'

// The end of a file's name says when its tests run (CONTRIBUTING.md, Tests): `npm test` takes those without one of these
// words. A measured promise holds only while nothing else runs beside it.
const longFiles = '.long.test.{ts,tsx}'
const programFiles = '.program.test.ts'
const measuredFiles = '.measured.test.ts'

/** Vitest begins with the largest files. The drills are a small one that takes longest: begun last, it ran alone for a minute. */
class DrillsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isDrills = ({ moduleId }: TestSpecification) =>
      moduleId.endsWith(`/server/drills/drills${programFiles}`)
    return [...sorted.filter(isDrills), ...sorted.filter((file) => !isDrills(file))]
  }
}

// These end what hangs, on a slow and busy machine too. What must be quick is measured by the test that promises it.
const patience = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}
const longPatience = { testTimeout: 600_000, hookTimeout: 600_000 }

// The tests of each file run in an order by chance. The seed is fixed, so that a red gate is red for its commit; another
// one tries another order.
const seed = Number(process.env['TEST_SEED'] ?? 22)
console.log(`Tests run shuffled by TEST_SEED=${seed}.`)

interface Surroundings {
  readonly environment: 'node' | 'happy-dom'
  readonly isolate?: boolean
  readonly setupFiles?: string[]
  readonly globalSetup?: string[]
  readonly maxWorkers?: number
  readonly testTimeout?: number
  readonly hookTimeout?: number
  readonly env?: Record<string, string>
}

/** A project of files that need the same surroundings. The groups run one after the other. */
function project(name: string, include: string[], exclude: string[], group: number, own: Surroundings) {
  return {
    test: {
      ...patience,
      ...own,
      name,
      include,
      exclude: [...exclude, '**/node_modules/**'],
      sequence: { groupOrder: group },
    },
  }
}

/** The quick files below a folder and the long ones, in a project each. The names are known to tools/test.mjs. */
function quickAndLong(name: string, folder: string, group: number, own: Surroundings) {
  const long = `${folder}/**/*${longFiles}`
  const others = [programFiles, measuredFiles].map((end) => `${folder}/**/*${end}`)
  return [
    project(name, [`${folder}/**/*.test.{ts,tsx}`], [long, ...others], group, own),
    project(`long-${name}`, [long], [], group, { ...own, ...longPatience }),
  ]
}

// Database tests share one cluster, made in server/test/environment/cluster.ts; programs are built once, in server/test/environment/build.ts.
const onServer = {
  environment: 'node' as const,
  globalSetup: ['server/test/environment/cluster.ts'],
}
const onPrograms = {
  ...onServer,
  globalSetup: [...onServer.globalSetup, 'server/test/environment/build.ts'],
  // Programs start, some of them several times in a test, and take over what a dead one held.
  ...longPatience,
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    // A second run of one server test takes half as long. The cache goes by the content of each file.
    experimental: { fsModuleCache: true },
    sequence: { seed, shuffle: { tests: true }, sequencer: DrillsFirst },
    projects: [
      ...quickAndLong('contract', 'contract/src', 0, { environment: 'node' }),
      ...quickAndLong('smpp', 'smpp/src', 0, { environment: 'node' }),
      ...quickAndLong('tools', 'tools', 0, { environment: 'node' }),
      ...quickAndLong('web', 'web/src', 0, {
        environment: 'happy-dom',
        // A page loads the whole console, so a worker loads it once; setup.ts puts back what a test changes.
        isolate: false,
        setupFiles: ['web/src/testing/setup.ts'],
      }),
      ...quickAndLong('server', 'server', 1, {
        ...onServer,
        // Each file has its own database and keeps nothing in modules, so a worker loads the server once.
        isolate: false,
        // Most files wait more than they work.
        maxWorkers: 3,
      }),
      project('long programs', [`server/**/*${programFiles}`], [], 2, {
        ...onPrograms,
        // Each program has a database of its own. Five drills at once were seen to take 700 MB.
        env: { TMPDIR: quickFolder(4 * 1024 ** 3) },
        // With more at once, programs were seen to run into their own time limits.
        maxWorkers: 2,
      }),
      project('long measured', [`server/**/*${measuredFiles}`], [], 3, { ...onPrograms, maxWorkers: 1 }),
    ],
  },
})
