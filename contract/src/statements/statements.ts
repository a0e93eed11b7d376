// Statements of closed periods: the signed file, its key, and the PDF.
import { z } from 'zod'
import { periodParams } from '../billing/bills.ts'
import { routes } from '../route.ts'

export const statementRoutes = routes({
  readStatement: {
    method: 'GET',
    path: '/api/billing/periods/{id}/statement',
    summary: 'The signed statement of a closed period as JSON lines: every record, chained and summed.',
    access: 'payment',
    params: periodParams,
    stream: 'file',
    isHeavy: true,
    onReplica: 'current',
  },
  getStatementKey: {
    method: 'GET',
    path: '/api/billing/statement-key',
    summary: 'The public key that statements are signed with.',
    access: 'payment',
    response: z.object({
      algorithm: z.literal('Ed25519'),
      /** 32 bytes, Base64. */
      publicKey: z.string(),
      /** To be compared by eye with what the verifier prints. */
      fingerprint: z.string(),
    }),
  },
  getStatement: {
    method: 'GET',
    path: '/api/billing/periods/{id}/statement.pdf',
    summary: 'The statement of a closed period as PDF, with its lines.',
    access: 'payment',
    params: periodParams,
    stream: 'file',
    isHeavy: true,
    onReplica: 'current',
  },
})
