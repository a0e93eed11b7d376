import { defineConfig } from 'vitest/config'

// Whole programs are killed, started and timed, and promises of a second are measured: nothing else may run beside them.
const alone = [
  'server/src/*.test.ts',
  'server/drills/*.test.ts',
  'server/src/gateway/conformance.test.ts',
  'server/src/records/feed/live-feed.test.ts',
]

// These end what hangs, on a slow and busy machine too. What must be quick is measured by the test that promises it.
const patience = {
  testTimeout: 120_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 10_000 } },
}

// Database tests share one cluster, made in server/test/cluster.ts.
const onServer = { ...patience, environment: 'node' as const, globalSetup: ['server/test/cluster.ts'] }

// One project per kind of surroundings. Most files of the server wait more than they work, so two run at a time.
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: { ...patience, name: 'contract', include: ['contract/src/**/*.test.ts'], environment: 'node' },
      },
      { test: { ...patience, name: 'smpp', include: ['smpp/src/**/*.test.ts'], environment: 'node' } },
      { test: { ...patience, name: 'tools', include: ['tools/**/*.test.ts'], environment: 'node' } },
      {
        test: {
          ...onServer,
          name: 'server',
          include: ['server/**/*.test.ts'],
          exclude: [...alone, '**/node_modules/**'],
        },
      },
      {
        test: {
          ...patience,
          name: 'web',
          include: ['web/src/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          setupFiles: ['web/src/testing/setup.ts'],
        },
      },
      {
        test: {
          ...onServer,
          name: 'programs',
          // Programs start, and take over what a dead one held.
          expect: { poll: { timeout: 20_000 } },
          include: alone,
          fileParallelism: false,
        },
      },
    ],
  },
})
