// Events about the states of connections, workers, holds, requests, notifications and long messages, and who receives them. They are in no
// log: the screens also poll these states, so a lost event is made up for within seconds.
import { isPermitted, type Permission } from '@tollgate/contract/vocabulary.ts'
import { partIdsOf, viewLongMessage, type EndedMessage } from '../long-messages/index.ts'
import type { Viewer } from '../records/index.ts'

type StateEventKind = 'connection' | 'worker' | 'hold' | 'request' | 'notification' | 'message-completed'

/** Everybody who has the permission, and this user. */
export interface Audience {
  readonly permission?: Permission
  readonly userId?: number
}

export interface StateEvent {
  readonly kind: StateEventKind
  /** Everybody in the audience may see it: no secret, no text. */
  readonly payload: object
  readonly audience: Audience
}

export function isInAudience({ permission, userId }: Audience, viewer: Viewer): boolean {
  return viewer.userId === userId || (permission !== undefined && isPermitted(viewer.role, permission))
}

/** The event for the live feed: without numbers, which not everybody in its audience may see. */
export function completedEvent(message: EndedMessage): StateEvent {
  const { id, state, total } = viewLongMessage(message)
  const { reference, clientId } = message
  return {
    kind: 'message-completed',
    payload: { id, messageId: partIdsOf(message)[0] ?? '', state, total, reference },
    audience: { permission: 'interconnectionApi', ...(clientId === null ? {} : { userId: clientId }) },
  }
}

/** One event of the stream. An event without an id leaves the reader's log position as it is. */
export function writeEvent(kind: string, json: string, id?: string): string {
  return `event: ${kind}\n${id === undefined ? '' : `id: ${id}\n`}data: ${json}\n\n`
}
