// News beside the records (states of connections, workers, holds, requests): who hears of it. It has no log: the
// screens poll these states as well, so what is lost on the way comes a few seconds later.
import { isPermitted, type Permission } from '@tollgate/contract/vocabulary.ts'
import type { Viewer } from '../read/viewer.ts'

export type NewsKind = 'connection' | 'worker' | 'hold' | 'request'

/** Whoever has the permission, and this user. */
export interface Audience {
  readonly permission?: Permission
  readonly userId?: number
}

export interface News {
  readonly kind: NewsKind
  /** Fit for everybody in the audience: no secret, no text. */
  readonly payload: object
  readonly audience: Audience
}

export function isAudience({ permission, userId }: Audience, viewer: Viewer): boolean {
  return viewer.userId === userId || (permission !== undefined && isPermitted(viewer.role, permission))
}

/** An event of the stream; an event without an id leaves the reader's place in the log as it is. */
export function writeEvent(kind: string, json: string, id?: string): string {
  return `event: ${kind}\n${id === undefined ? '' : `id: ${id}\n`}data: ${json}\n\n`
}
