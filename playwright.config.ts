import { defineConfig } from '@playwright/test'
import { findChromium } from './tools/chromium.mjs'

const isRoot = process.getuid?.() === 0

// Browsers with a gateway each. In the gate the tests of servers run beside them on two cores, and end later (tools/test.mjs).
export default defineConfig({
  testDir: 'e2e',
  projects: [
    { name: 'quick', testMatch: '**/*.e2e.ts', testIgnore: '**/*.walk.e2e.ts' },
    { name: 'walk', testMatch: '**/*.walk.e2e.ts' },
  ],
  globalSetup: './e2e/cluster.ts',
  workers: 2,
  fullyParallel: false,
  // These end what hangs, on a slow and busy machine too: the longest tests visit all pages of a role, and were seen to
  // take two minutes on one. What must be quick has a limit of its own where it is promised.
  timeout: 480_000,
  expect: { timeout: 60_000 },
  outputDir: 'test-results',
  // The same on each machine: the fonts are the console's own.
  snapshotPathTemplate: 'e2e/pictures/{arg}{ext}',
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    // What is not there ends its test, and not the run.
    actionTimeout: 90_000,
    // A third of the run's processor time when it is recorded; `--trace on` records what has failed.
    trace: 'off',
    // A moving page is painted sixty times a second.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: findChromium() ?? '/usr/bin/chromium',
      args: [
        ...(isRoot ? ['--no-sandbox'] : []),
        '--disable-gpu',
        // No page lives long enough to earn back what its script costs to optimise: a quarter of the renderers' time.
        '--js-flags=--no-opt --no-maglev',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
