// Makes sure that each connection that should be up is owned by exactly one node.
import { LeaseReconciler } from '../platform/work/lease-reconciler.ts'
import type { LostAnswers } from '../gateway/index.ts'
import { leaseName, type ConnectionsDeps } from './deps.ts'
import { OwnedLink, peerRefOf } from './owned-link.ts'
import { writeHeartbeats, type LinkHeartbeat } from './state-store.ts'
import { enabledConnections, type EnabledConnection } from './store.ts'

/** Builds the reconciler of this node's links; it owns none before its start. */
export function keepLinks(
  deps: ConnectionsDeps,
  lost: LostAnswers,
): LeaseReconciler<EnabledConnection, OwnedLink> {
  const { db, log } = deps
  const beats: LinkHeartbeat[] = []
  return new LeaseReconciler<EnabledConnection, OwnedLink>({
    db,
    log,
    what: 'Connections',
    everyMs: deps.pace?.lookEveryMs,
    leaseName,
    desired: () => enabledConnections(db),
    async start(row, lease) {
      // Before this owner writes a state: the stored one shows how the last owner ended.
      await lost.load(db, peerRefOf(row))
      return new OwnedLink(deps, row, lease, lost)
    },
    update(link, row) {
      link.restartUnless(row.restartCount)
      const beat = link.reporter.heartbeat()
      if (beat === undefined) void link.reporter.report()
      else beats.push(beat)
      if (row.hasQueuedSends) link.sendQueued()
    },
    afterRows: () => writeHeartbeats(db, beats.splice(0)),
  })
}
