import { analyticsRoutes } from '@tollgate/contract/analytics/analytics.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import type { ReadDeps } from '../records/index.ts'
import { analyse, exportAnalytics } from './analyse.ts'
import { deleteMail, keepMail, listMails } from './mails.ts'

export function bindAnalyticsRoutes(reading: ReadDeps, canMail: boolean): BoundRoutes {
  return bindRoutes(analyticsRoutes, {
    analyse: ({ query }, { actor }) => analyse(reading, actor, query),
    listAnalyticsMails: (_, { actor }) => listMails(reading.db, actor.userId, canMail),
    async keepAnalyticsMail({ body }, { actor }) {
      await keepMail(reading, actor, body)
      return {}
    },
    async deleteAnalyticsMail({ params }, { actor }) {
      await deleteMail(reading.db, actor.userId, params.id)
      return {}
    },
    exportAnalytics: ({ query }, { actor }) => exportAnalytics(reading, actor, query),
  })
}
