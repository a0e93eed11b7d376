import { analyticsRoutes } from '@tollgate/contract/analytics/analytics.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import type { ReadDeps } from '../records/index.ts'
import { analyse, exportAnalytics } from './analyse.ts'
import { deleteMail, keepMail, listMails } from './mails.ts'

export function bindAnalyticsRoutes(reading: ReadDeps, canMail: boolean): BoundRoutes {
  return bindRoutes(analyticsRoutes, {
    analyse: ({ query }, { actor }) => analyse(reading, actor, query),
    listAnalyticsMails: (_, { actor }) => listMails(reading.db, actor.userId, canMail),
    keepAnalyticsMail: ({ body }, { actor }) => keepMail(reading, actor, body),
    deleteAnalyticsMail: ({ params }, { actor }) => deleteMail(reading.db, actor.userId, params.id),
    exportAnalytics: ({ query }, { actor }) => exportAnalytics(reading, actor, query),
  })
}
