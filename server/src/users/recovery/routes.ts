import { passwordResetRoutes } from '@tollgate/contract/users/password-resets.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import { requestByMail, canResetByMail, type MailedResetParts } from './request-by-mail.ts'
import { approveRequest, createLink, listLinks, revoke } from './reset-links.ts'
import { openLink, useLink, type UseLinkParts } from './use-link.ts'

export function bindResetRoutes(parts: MailedResetParts & UseLinkParts): BoundRoutes {
  return bindRoutes(passwordResetRoutes, {
    readSignInOptions: async () => ({ canResetByMail: canResetByMail(parts) }),
    requestPasswordReset: ({ body }, { ip }) => requestByMail(parts, body.account, ip),
    openResetLink: ({ body }) => openLink(parts, body.token),
    useResetLink: ({ body }, { ip }) => useLink(parts, body, ip),
    listResetLinks: ({ params }) => listLinks(parts, params.id),
    createResetLink: ({ params }, { actor, ip, once }) =>
      once(parts.db, (tx) => createLink({ ...parts, db: tx }, params.id, actor, ip)),
    approveResetLink: ({ params }, { actor, ip }) =>
      approveRequest(parts, params.id, params.linkId, actor, ip),
    revokeResetLink: ({ params }, { actor, ip }) => revoke(parts, params.id, params.linkId, actor, ip),
  })
}
