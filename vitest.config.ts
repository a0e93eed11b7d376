import { defineConfig } from 'vitest/config'

// One project per kind of surroundings. Database tests share one cluster, made in server/test/cluster.ts.
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'contract', include: ['contract/src/**/*.test.ts'], environment: 'node' } },
      // Its property tests count cases, not seconds.
      {
        test: { name: 'smpp', include: ['smpp/src/**/*.test.ts'], environment: 'node', testTimeout: 20_000 },
      },
      { test: { name: 'tools', include: ['tools/**/*.test.ts'], environment: 'node' } },
      {
        test: {
          name: 'server',
          include: ['server/**/*.test.ts'],
          environment: 'node',
          globalSetup: ['server/test/cluster.ts'],
          testTimeout: 20_000,
          hookTimeout: 30_000,
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
    ],
  },
})
