// Billing with invoices: the legal entities of the own company and of clients, and what a test asks of the documents.
import { transaction } from '../../src/platform/transaction.ts'
import { linesOf } from '../files/pdf-texts.ts'
import { openTestBilling } from './billing.ts'

export const anEntity = {
  legalName: 'Ada Premium Ltd',
  addressLines: ['1 Long Street', '1010 Nicosia'],
  country: 'CY',
  taxNumber: 'CY10000001A',
}

export const ownCompany = {
  legalName: 'Gates Networks GmbH',
  addressLines: ['Torstrasse 1', '10115 Berlin'],
  country: 'DE',
  taxNumber: 'DE100000001',
}

export async function openTestInvoices(options: Parameters<typeof openTestBilling>[0] = {}) {
  const environment = await openTestBilling(options)
  const { call, billing, db, settings } = environment
  const save = async (userId: number, path: string, body: object) => {
    const { status, body: answer } = await call(userId, 'PUT', path, { body })
    if (status !== 200) throw new Error(`The legal entity was refused: ${answer.message}`)
  }
  /** The own company's entity, saved by the admin. */
  const anOwnCompany = (entity: object = {}) =>
    save(6, '/api/billing/own-company', { ...ownCompany, ...entity })
  /** A client's entity, saved by support. */
  const aSupplier = (client = 1, entity: object = {}) =>
    save(4, `/api/billing/legal-entities/${client}`, { ...anEntity, ...entity })
  /** Sets a setting as the admin does. */
  const putSetting = (key: string, value: string) =>
    transaction(db, (tx) => settings.put(tx, key, value, { actor: { userId: 6, username: 'u6' }, ip: '' }))
  /** All invoices as support sees them, oldest first. */
  async function invoicesNow(query: Record<string, string> = {}) {
    await billing.issueInvoices()
    const search = new URLSearchParams({ order: 'asc', limit: '500', ...query })
    return (await call(4, 'GET', `/api/billing/all-invoices?${search.toString()}`)).body
  }
  /** What a document says, line by line from the top. */
  async function readPdf(path: string, userId = 4): Promise<string[]> {
    const { status, body, rawPayload } = await call(userId, 'GET', path)
    if (status !== 200) throw new Error(`${path} was refused: ${body.message}`)
    return linesOf(rawPayload)
  }
  const readInvoice = (id: string, userId = 4) => readPdf(`/api/billing/invoices/${id}/invoice.pdf`, userId)
  return { ...environment, anOwnCompany, aSupplier, putSetting, invoicesNow, readPdf, readInvoice }
}
