// What a viewer may see of records, and what is masked for them.
import { sql } from 'kysely'
import type { SqlFragment } from '../query/condition.ts'
import type { Role } from '@tollgate/contract/vocabulary.ts'

export interface Viewer {
  readonly userId: number
  readonly role: Role
}

/** Support and admins see all records; everybody else only those of the numbers they held. */
export function isStaff(viewer: Viewer): boolean {
  return viewer.role === 'support' || viewer.role === 'admin'
}

/** The client whose records the viewer is limited to; undefined for staff. */
export function ownerScope(viewer: Viewer): number | undefined {
  return isStaff(viewer) ? undefined : viewer.userId
}

/** The test role sees numbers masked. */
export function seesMasked(viewer: Viewer): boolean {
  return viewer.role === 'test'
}

/** Shown instead of every message text on screens, in lists and in exports. */
export const maskedText = '••••••'

/** A condition on a column client_id: the records that the viewer may see. */
export function ofViewer(viewer: Viewer): SqlFragment {
  const owner = ownerScope(viewer)
  return owner === undefined ? sql`true` : sql`client_id = ${owner}`
}
