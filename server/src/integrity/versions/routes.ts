import { Refusal } from '@tollgate/contract/errors.ts'
import { versionRoutes } from '@tollgate/contract/integrity/versions.ts'
import type { Audit } from '../../audit/index.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import type { Settings } from '../../settings/index.ts'
import { insertVersion, type Versions } from './versions.ts'

export interface VersionRouteParts {
  readonly db: Db
  readonly audit: Pick<Audit, 'record'>
  readonly settings: Settings
  readonly versions: Versions
}

export function bindVersionRoutes({ db, audit, settings, versions }: VersionRouteParts): BoundRoutes {
  return bindRoutes(versionRoutes, {
    listVersions: () => versions.list(db),
    addVersion: ({ body }, { actor, ip, once }) =>
      once(db, async (tx) => {
        const id = await insertVersion(tx, body, actor.userId)
        await audit.record(tx, {
          actor,
          ip,
          action: 'integrity_version.create',
          objectType: 'integrity_version',
          objectId: String(id),
          after: body,
        })
        const made = (await versions.list(tx)).find((version) => version.id === id)
        if (made === undefined) throw new Refusal('not_found', 'There is no such version.')
        return made
      }),
    putVersionLive: ({ params }, { actor, ip }) =>
      transaction(db, async (tx) => {
        await settings.put(tx, 'integrity_version', params.id, { actor, ip })
        return versions.list(tx)
      }),
  })
}
