// Entry of the objects slice: finding one thing by any of its names, and notes on it.
import { objectsRoutes } from '@tollgate/contract/objects/objects.ts'
import type { AccountNumber } from '@tollgate/contract/numbers/numbers.ts'
import type { Actor, BoundRoutes } from '../http/handlers.ts'
import { bindRoutes } from '../http/handlers.ts'
import type { Finder } from './finder.ts'
import { foundOf } from './finder.ts'
import { addNote, deleteNote, listNotes, type NoteDeps } from './notes.ts'
import { search } from './search.ts'

export interface ObjectsDeps extends NoteDeps {
  /** The numbers that a viewer may see and that contain a text, newest first; masked for whom they are masked. */
  readonly findNumbers: (actor: Actor, text: string, max: number) => Promise<AccountNumber[]>
}

/** Builds the slice. */
export function createObjects(deps: ObjectsDeps): { readonly routes: BoundRoutes[] } {
  const { db } = deps
  const findNumbers: Finder = async ({ actor, text, max }) =>
    (await deps.findNumbers(actor, text, max)).map((number) =>
      foundOf({
        kind: 'number',
        id: number.id,
        title: actor.role === 'test' ? number.phoneNumber : `+${number.phoneNumber}`,
        detail: [number.accountNumber, number.clientName, number.description]
          .filter((part) => part !== '')
          .join(' · '),
      }),
    )
  return {
    routes: [
      bindRoutes(objectsRoutes, {
        search: ({ query }, { actor }) => search(db, actor, query.q, findNumbers),
        listNotes: ({ query }, { actor }) => listNotes(db, query, actor),
        createNote: ({ body }, context) =>
          context.once(db, (tx) => addNote({ ...deps, db: tx }, body, context)),
        async deleteNote({ params }, context) {
          await deleteNote(deps, params.id, context)
          return {}
        },
      }),
    ],
  }
}
