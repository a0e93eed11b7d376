// Entry of the objects slice: finding one thing by any of its names, and notes on it.
import { objectsRoutes } from '@tollgate/contract/objects/objects.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import { addNote, deleteNote, listNotes, type NoteDeps } from './notes.ts'
import { search } from './search.ts'

/** Builds the slice. */
export function createObjects(deps: NoteDeps): { readonly routes: BoundRoutes[] } {
  const { db } = deps
  return {
    routes: [
      bindRoutes(objectsRoutes, {
        search: ({ query }, { actor }) => search(db, actor, query.q),
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
