// Has the links that are wanted held by one node each.
import { LeaseKeeper } from '../../platform/lease-keeper.ts'
import type { LostAnswers } from '../lost-answers/lost-answers.ts'
import { leaseName, type ConnectionsDeps } from './deps.ts'
import { HeldLink, senderOf } from './owned-link.ts'
import { writeHeartbeats, type Heartbeat } from './state-store.ts'
import { wantedConnections, type KeptRow } from './store.ts'

/** Builds the keeper of this node's links; it holds none before its start. */
export function keepLinks(deps: ConnectionsDeps, lost: LostAnswers): LeaseKeeper<KeptRow, HeldLink> {
  const { db, log } = deps
  const beats: Heartbeat[] = []
  return new LeaseKeeper<KeptRow, HeldLink>({
    db,
    log,
    what: 'Connections',
    leaseName,
    wanted: () => wantedConnections(db),
    async take(row, lease) {
      // Before this owner writes a state of its own: the one that stands there says how the last owner ended.
      await lost.load(db, senderOf(row))
      return new HeldLink(deps, row, lease, lost)
    },
    see(link, row) {
      link.restartUnless(row.restartCount)
      const beat = link.heartbeat()
      if (beat === undefined) void link.report()
      else beats.push(beat)
      if (row.hasQueuedSends) link.sendQueued()
    },
    afterRows: () => writeHeartbeats(db, beats.splice(0)),
  })
}
