import { cdrRoutes } from '@tollgate/contract/cdr/cdr.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import { rowId } from '../platform/refusals.ts'
import {
  createSchedule,
  editSchedule,
  pauseSchedule,
  removeSchedule,
  sendFile,
  unknownSchedule,
} from './service.ts'
import { findSchedule } from './store.ts'
import { testSchedule, type TestDeps } from './test-destination.ts'
import { viewFiles, viewSchedules } from './views.ts'

export function bindCdrRoutes(parts: TestDeps): BoundRoutes {
  const idOf = ({ id }: { readonly id: string }) => rowId(id, unknownSchedule)
  return bindRoutes(cdrRoutes, {
    listCdrSchedules: async () => ({
      canUseFolders: parts.cdrDir !== undefined,
      schedules: await viewSchedules(parts.db),
    }),
    createCdrSchedule: ({ body }, caller) =>
      caller.once(parts.db, (tx) => createSchedule(parts, tx, body, caller)),
    editCdrSchedule: ({ params, body }, caller) => editSchedule(parts, idOf(params), body, caller),
    deleteCdrSchedule: ({ params }, caller) => removeSchedule(parts, idOf(params), caller),
    pauseCdrSchedule: ({ params }, caller) => pauseSchedule(parts, idOf(params), true, caller),
    resumeCdrSchedule: ({ params }, caller) => pauseSchedule(parts, idOf(params), false, caller),
    testCdrSchedule: ({ params }, caller) => testSchedule(parts, idOf(params), caller),
    async listCdrFiles({ params, query }) {
      const id = idOf(params)
      if ((await findSchedule(parts.db, id)) === undefined) throw unknownSchedule()
      return viewFiles(parts.db, id, query)
    },
    sendCdrFile: ({ params }, caller) => sendFile(parts, idOf(params), params.fileId, caller),
  })
}
