// What a finder takes and gives.
import type { Found } from '@tollgate/contract/objects/objects.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import type { Actor } from '../http/handlers.ts'

/** A text that somebody looks for. */
export interface SearchQuery {
  readonly db: Db
  readonly actor: Actor
  /** Trimmed, of two characters at least. */
  readonly text: string
  /** The most that is shown of one kind. */
  readonly max: number
}

/** Finds objects of one kind that the viewer may open, best first. */
export type Finder = (query: SearchQuery) => Promise<Found[]>

/** The client to whose money the viewer is limited; undefined for staff. */
export function ownerOf({ userId, role }: Actor): number | undefined {
  return isPermitted(role, 'paymentManagement') ? undefined : userId
}

/** Something found that is about no bill. */
export const foundOf = (found: Omit<Found, 'periodId'>): Found => ({ ...found, periodId: '' })
