import { defineConfig } from 'vitest/config'

// Whole programs are killed, started and timed: nothing else may run beside them.
const programs = ['server/src/*.test.ts']

// Database tests share one cluster, made in server/test/cluster.ts.
const onServer = {
  environment: 'node' as const,
  globalSetup: ['server/test/cluster.ts'],
  testTimeout: 20_000,
  hookTimeout: 30_000,
}

// One project per kind of surroundings. Most files of the server wait more than they work, so two run at a time.
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { name: 'contract', include: ['contract/src/**/*.test.ts'], environment: 'node' } },
      // Its property tests count cases, not seconds.
      {
        test: { name: 'smpp', include: ['smpp/src/**/*.test.ts'], environment: 'node', testTimeout: 20_000 },
      },
      { test: { name: 'tools', include: ['tools/**/*.test.ts'], environment: 'node' } },
      {
        test: {
          ...onServer,
          name: 'server',
          include: ['server/**/*.test.ts'],
          exclude: [...programs, '**/node_modules/**'],
        },
      },
      {
        test: {
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
          include: programs,
          fileParallelism: false,
        },
      },
    ],
  },
})
