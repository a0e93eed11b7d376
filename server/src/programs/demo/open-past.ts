// Opens the product on the demo's database with the clock of its past: the same slices, rules and API as the gateway, but
// no listener, no link and no job of its own.
import type { Money } from '../../compose-money.ts'
import type { ComposeOptions } from '../../compose.ts'
import { createHttpServer } from '../../http/server.ts'
import type { Ingest } from '../../ingest/index.ts'
import { signIn, type Api } from './api.ts'
import type { DemoChain } from './chain.ts'
import type { PastClock } from './past-clock.ts'

const host = '127.0.0.1'

/** The business at some time in the past. */
export interface Past {
  readonly clock: PastClock
  readonly ingest: Ingest
  readonly billing: Money
  /** Undefined when the operator configured a TRON node: then nothing is paid. */
  readonly chain: DemoChain | undefined
  readonly passwords: Readonly<Record<string, string>>
  /** Signs a person in, at the time that it is in the past. */
  as(username: string): Promise<Api>
  /** Lets so many seconds go by. */
  wait(seconds: number): void
}

export interface PastParts {
  readonly clock: PastClock
  readonly chain: DemoChain | undefined
  readonly passwords: Readonly<Record<string, string>>
}

/** Runs `work` in the past. The clock is at its beginning already. */
export async function inPast<T>(
  parts: Omit<ComposeOptions, 'clock'>,
  { clock, chain, passwords }: PastParts,
  work: (past: Past) => Promise<T>,
): Promise<T> {
  const { compose } = await import('../../compose.ts')
  const slices = await compose({ ...parts, config: { ...parts.config, roles: new Set() }, clock })
  const http = await createHttpServer({
    routes: slices.routes,
    findActor: slices.findActor,
    clock,
    log: parts.log,
    publicUrl: undefined,
    hasMetrics: false,
    checks: {},
    secrets: slices.secrets,
  })
  try {
    await slices.start()
    const base = `http://${host}:${await http.listen(host, 0)}`
    return await work({
      clock,
      chain,
      passwords,
      ingest: slices.ingest,
      billing: slices.billing,
      as: (username) => signIn(base, username, passwords[username] ?? ''),
      wait: (seconds) => clock.goTo(new Date(clock.now().getTime() + seconds * 1_000)),
    })
  } finally {
    await http.close()
    await slices.stop()
  }
}
