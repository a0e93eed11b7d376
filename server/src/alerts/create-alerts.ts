// Puts the slice together: what is wrong now, and the job that tells people.
import type { Audit } from '../audit/index.ts'
import type { Clock } from '../platform/clock.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { Logger } from '../platform/log.ts'
import type { Job } from '../platform/work/jobs.ts'
import { collect, sharedCollection, type AlertSource } from './collect.ts'
import { bindAlertRoutes } from './routes.ts'
import type { SetupState } from './setup.ts'
import { pruneNotifications } from './store.ts'
import { sendAlerts, type SendAlertsDeps } from './send-alerts.ts'

export interface AlertsDeps extends SendAlertsDeps {
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  readonly log: Pick<Logger, 'warn'>
  readonly setup: SetupState
  /** What each slice reports. */
  readonly sources: readonly AlertSource[]
}

export interface Alerts {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
  /** Compares the rules with the alerts of now, as the job does every ten seconds. */
  sendAlerts(): Promise<void>
}

const alertEveryMs = 10_000
const pruneEveryMs = 3_600_000
const keptMs = 30 * 86_400_000

/** Builds the slice. */
export function createAlerts(deps: AlertsDeps): Alerts {
  const { db, clock, sources, log } = deps
  const read = () =>
    collect(sources, clock.now(), (error, source) =>
      log.warn({ err: error, source }, 'Some alerts could not be read'),
    )
  const send = async () => sendAlerts(deps, await read(), clock.now())
  return {
    routes: [bindOn({ ...deps, read: sharedCollection(read) }, bindAlertRoutes)],
    jobs: [
      { name: 'send-alerts', everyMs: alertEveryMs, run: send },
      {
        name: 'prune-notifications',
        everyMs: pruneEveryMs,
        run: () => pruneNotifications(db, new Date(clock.now().getTime() - keptMs)),
      },
    ],
    sendAlerts: send,
  }
}
