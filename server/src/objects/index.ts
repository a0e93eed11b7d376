// Entry of the objects slice: finding one thing by any of its names, and notes on it.
import { objectsRoutes } from '@tollgate/contract/objects/objects.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import { addNote, deleteNote, forgetNotes, listNotes, type NoteDeps } from './notes.ts'
import { search } from './search.ts'

/** Builds the slice. */
export function createObjects(deps: NoteDeps): {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
} {
  const { db } = deps
  return {
    jobs: [{ name: 'forget-notes', everyMs: 86_400_000, run: () => forgetNotes(db) }],
    routes: [
      bindRoutes(objectsRoutes, {
        search: ({ query }, { actor }) => search(db, actor, query.q),
        listNotes: ({ query }, { actor }) => listNotes(db, query, actor),
        createNote: ({ body }, context) =>
          context.once(db, (tx) => addNote({ ...deps, db: tx }, body, context)),
        deleteNote: ({ params }, context) => deleteNote(deps, params.id, context),
      }),
    ],
  }
}
