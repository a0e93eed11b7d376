// Versions of the thresholds: written once, live by a setting that guards money.
import { sql } from 'kysely'
import { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import {
  thresholdsSchema,
  versionSetting,
  type IntegrityVersion,
} from '@tollgate/contract/integrity/versions.ts'
import { spoken } from '@tollgate/contract/sentences.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Setting, Settings } from '../../settings/index.ts'
import type { Thresholds } from '../rules/thresholds.ts'
import { isAsStrict } from './strictness.ts'

/** What a judgement goes by. */
export interface Version {
  readonly id: number
  readonly thresholds: Thresholds
}

export interface Versions {
  /** The version that judges now. */
  live(db: Db): Promise<Version>
  list(db: Db): Promise<IntegrityVersion[]>
}

const firstVersion = 1

// Whoever changes what is held has seen what it would have held: else a slip of a digit would hold everybody's money, or
// nobody's. A version that was live before is known, and the way back must not wait.
const isTried = sql`(v.made_by is null or exists (select from integrity_version_starts where version_id = v.id)
  or exists (select from back_tests where version_id = v.id and done_at is not null))`

/** Declares the setting that says which version is live. */
export function defineVersions(settings: Settings, clock: Clock): Versions {
  const live = settings.define<number>({
    key: versionSetting,
    description: spoken('Version of the thresholds by which traffic is judged'),
    fallback: firstVersion,
    schema: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'Enter a whole number')
      .transform(Number),
    async refuse(tx, id) {
      await findVersion(tx, id)
      await checkTried(tx, id)
    },
    isAsStrict: async (before, after, tx) =>
      isAsStrict((await findVersion(tx, before)).thresholds, (await findVersion(tx, after)).thresholds),
    async begun(tx, id, { requestedBy, approvedBy }) {
      await sql`insert into integrity_version_starts (version_id, live_from, requested_by, approved_by)
        values (${id}::int, ${clock.now()}, ${requestedBy}::int, ${approvedBy}::int)`.execute(tx)
    },
  })
  return {
    live: async (db) => findVersion(db, await live.get(db)),
    list: (db) => listVersions(db, settings, live),
  }
}

/** Throws Refusal not_found. */
export async function findVersion(db: Db, id: number): Promise<Version> {
  const found = await row<{ parameters: unknown }>(
    db,
    sql`select parameters from integrity_versions where id = ${id}::int`,
  )
  if (found === undefined) throw new Refusal('not_found', 'There is no such version.')
  return { id, thresholds: thresholdsSchema.parse(found.parameters) }
}

/** Throws Refusal wrong_state for a version that nobody has tried on days that are over. */
async function checkTried(tx: Db, id: number): Promise<void> {
  const found = await row<{ is_tried: boolean }>(
    tx,
    sql`select ${isTried} as is_tried from integrity_versions v where v.id = ${id}::int`,
  )
  if (found?.is_tried !== true)
    throw new Refusal(
      'wrong_state',
      'This version needs a back-test first. Start one, and make the version live when it is done.',
    )
}

/** Adds a version that judges nothing yet; gives its id. */
export async function insertVersion(
  tx: Db,
  { thresholds, note }: { readonly thresholds: Thresholds; readonly note: string },
  madeBy: number,
): Promise<number> {
  const made = await row<{ id: number }>(
    tx,
    sql`insert into integrity_versions (parameters, note, made_by)
        values (${JSON.stringify(thresholds)}::jsonb, ${note}, ${madeBy}) returning id`,
  )
  if (made === undefined) throw new Error('The new version did not come back')
  return made.id
}

async function listVersions(db: Db, settings: Settings, live: Setting<number>): Promise<IntegrityVersion[]> {
  const liveId = await live.get(db)
  const waiting = (await settings.list(db)).find(({ key }) => key === versionSetting)?.pending
  const found = await rows<{
    id: number
    parameters: unknown
    note: string
    made_by: string | null
    made_at: Date
    live_from: Date | null
    approved_by: string | null
    is_tried: boolean
  }>(
    db,
    sql`select v.id, v.parameters, v.note, m.username as made_by, v.made_at, s.live_from, a.username as approved_by,
          ${isTried} as is_tried
        from integrity_versions v left join users m on m.id = v.made_by left join lateral (
          select live_from, approved_by from integrity_version_starts where version_id = v.id
          order by live_from desc limit 1
        ) s on true left join users a on a.id = s.approved_by
        order by v.id desc`,
  )
  const versions = found.map((version) => ({
    ...version,
    thresholds: thresholdsSchema.parse(version.parameters),
  }))
  const inForce = versions.find(({ id }) => id === liveId)
  return versions.map((version) => ({
    id: version.id,
    thresholds: version.thresholds,
    note: version.note,
    madeBy: version.made_by ?? '',
    madeAt: version.made_at.toISOString(),
    liveFrom: version.live_from?.toISOString() ?? null,
    approvedBy: version.approved_by ?? '',
    isLive: version.id === liveId,
    isAsStrict: inForce === undefined || isAsStrict(inForce.thresholds, version.thresholds),
    isTried: version.is_tried,
    pending:
      waiting === undefined || waiting.value !== String(version.id)
        ? null
        : {
            requestedBy: waiting.requestedBy,
            requestedAt: waiting.requestedAt.toISOString(),
            approvedBy: waiting.approvedBy,
            beginsAt: waiting.beginsAt.toISOString(),
            isAlone: waiting.isAlone,
          },
  }))
}
