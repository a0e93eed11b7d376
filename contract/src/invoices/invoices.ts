// Invoices: numbered self-billing invoices and credit notes, and the legal entities that they name.
import { z } from 'zod'
import { countryCodes } from '../countries.ts'
import {
  daySchema,
  idParams,
  idSchema,
  lineSchema,
  orderSchema,
  pageQuery,
  searchSchema,
  userIdParams,
  userIdSchema,
  wholeNumber,
} from '../fields.ts'
import { visibleName } from '../plain-text.ts'
import { routes } from '../route.ts'
import { schemaMessage } from '../schema-messages.ts'
import { sentence } from '../sentences.ts'
import { invoiceKinds, invoiceSubjects } from '../vocabulary.ts'

const addressLinesMax = 5

const legalEntitySchema = z.object({
  legalName: z.string(),
  addressLines: z.array(z.string()),
  /** ISO 3166-1, two letters; empty before the first save. */
  country: z.string(),
  taxNumber: z.string(),
  /** What invoices print where their fonts lack letters of name or address; else empty. */
  latinName: z.string(),
  latinAddressLines: z.array(z.string()),
  /** Grows with each save; 0 before the first. */
  version: z.int(),
  /** Empty for a client whose entity staff saved. */
  savedBy: z.string(),
  savedAt: z.string().nullable(),
})
export type LegalEntity = z.infer<typeof legalEntitySchema>

const addressLine = lineSchema(100)
  .transform(visibleName)
  .refine((line) => line !== '', 'Leave no line empty')
const addressLines = z
  .array(addressLine)
  .max(addressLinesMax, schemaMessage(sentence('At most {count} lines', { count: addressLinesMax })))

/** A legal entity as a person enters it. Name, address and tax number may be in any script. */
export const legalEntityInputSchema = z.object({
  legalName: lineSchema(200)
    .transform(visibleName)
    .refine((name) => name !== '', 'Legal name is required'),
  addressLines: addressLines.min(1, 'Address is required'),
  country: z.enum(countryCodes, 'Choose a country'),
  taxNumber: lineSchema(60).default(''),
  latinName: lineSchema(200).transform(visibleName).default(''),
  latinAddressLines: addressLines.default([]),
  /** The version that the form was opened with. */
  version: wholeNumber(0, 2_147_483_647).optional(),
})

// 11 lines of 100 or 200 characters, of which each may take four bytes, or six as an escape.
const entityBytes = 16 * 1024

const invoiceSchema = z.object({
  id: idSchema,
  kind: z.enum(invoiceKinds),
  /** As printed, such as `SB-2026-000123`. */
  number: z.string(),
  issuedAt: z.string(),
  userId: z.int(),
  userName: z.string(),
  /** What it is for: the bill of a period, or all payouts of a period together. */
  subject: z.enum(invoiceSubjects),
  periodId: z.string(),
  periodStart: z.string(),
  periodEnd: z.string(),
  amount: z.string(),
  /** The number of the invoice that a credit note corrects; empty for invoices. */
  corrects: z.string(),
  /** The client, as on the invoice. */
  supplierName: z.string(),
  supplierTaxNumber: z.string(),
  supplierCountry: z.string(),
  /** Our own company, as on the invoice. */
  customerName: z.string(),
})
export type Invoice = z.infer<typeof invoiceSchema>

export const invoiceSorts = ['issuedAt', 'amount', 'userName'] as const

const invoiceFilter = z.object({
  kind: z.enum(invoiceKinds).optional(),
  /** A part of the number. */
  search: searchSchema.optional(),
  /** Days of issue, both included, in UTC. */
  from: daySchema.optional(),
  to: daySchema.optional(),
})
const staffFilter = invoiceFilter.extend({
  userId: userIdSchema.optional(),
  /** A part of the number, of the username or of the client's name on the invoice. */
  search: searchSchema.optional(),
})
const invoicePage = pageQuery.extend({ sort: z.enum(invoiceSorts).default('issuedAt'), order: orderSchema })

export const invoiceRoutes = routes({
  getLegalEntity: {
    method: 'GET',
    path: '/api/billing/legal-entity',
    summary: "The caller's legal entity; empty fields before the first save.",
    access: 'payment',
    response: legalEntitySchema,
  },
  putLegalEntity: {
    method: 'PUT',
    path: '/api/billing/legal-entity',
    summary: "Save the caller's legal entity. Invoices that were issued before keep the one they have.",
    access: 'payment',
    fresh: 'hour',
    body: legalEntityInputSchema,
    bodyLimitBytes: entityBytes,
    response: legalEntitySchema,
  },
  getOwnCompany: {
    method: 'GET',
    path: '/api/billing/own-company',
    summary: 'The legal entity of whoever runs this gateway; empty fields before the first save.',
    access: 'paymentManagement',
    response: legalEntitySchema,
  },
  putOwnCompany: {
    method: 'PUT',
    path: '/api/billing/own-company',
    summary:
      'Save the legal entity of whoever runs this gateway. From the first save on, invoices are issued.',
    access: 'adminSettings',
    fresh: 'hour',
    body: legalEntityInputSchema,
    bodyLimitBytes: entityBytes,
    response: legalEntitySchema,
  },
  getClientEntity: {
    method: 'GET',
    path: '/api/billing/legal-entities/{id}',
    summary: "A client's legal entity; empty fields before the first save.",
    access: 'paymentManagement',
    params: userIdParams,
    response: legalEntitySchema,
  },
  putClientEntity: {
    method: 'PUT',
    path: '/api/billing/legal-entities/{id}',
    summary: "Save a client's legal entity.",
    access: 'paymentManagement',
    fresh: 'hour',
    params: userIdParams,
    body: legalEntityInputSchema,
    bodyLimitBytes: entityBytes,
    response: legalEntitySchema,
  },
  listInvoices: {
    method: 'GET',
    path: '/api/billing/invoices',
    summary: "The caller's invoices and credit notes, newest first.",
    access: 'payment',
    query: invoicePage.extend(invoiceFilter.shape),
    response: z.array(invoiceSchema),
    isPaged: true,
    onReplica: 'current',
  },
  exportInvoices: {
    method: 'GET',
    path: '/api/billing/invoices/export',
    summary: "The caller's invoices and credit notes as CSV.",
    access: 'payment',
    query: invoiceFilter,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  listAllInvoices: {
    method: 'GET',
    path: '/api/billing/all-invoices',
    summary: "All clients' invoices and credit notes, newest first.",
    access: 'paymentManagement',
    query: invoicePage.extend(staffFilter.shape),
    response: z.array(invoiceSchema),
    isPaged: true,
    onReplica: 'current',
  },
  exportAllInvoices: {
    method: 'GET',
    path: '/api/billing/all-invoices/export',
    summary: "All clients' invoices and credit notes as CSV.",
    access: 'paymentManagement',
    query: staffFilter,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  getInvoice: {
    method: 'GET',
    path: '/api/billing/invoices/{id}/invoice.pdf',
    summary: 'An invoice or credit note as PDF.',
    access: 'payment',
    params: idParams,
    stream: 'file',
    isHeavy: true,
    onReplica: 'current',
  },
  getMissingEntities: {
    method: 'GET',
    path: '/api/billing/missing-entities',
    summary: 'What keeps invoices from being issued: whose legal entity is missing.',
    access: 'paymentManagement',
    response: z.object({
      isOwnCompanyMissing: z.boolean(),
      /** Clients with a bill or a payout, but without a legal entity. */
      clientCount: z.int(),
      /** The first of them by name. */
      clients: z.array(z.object({ userId: z.int(), userName: z.string() })),
    }),
  },
  getCreditNote: {
    method: 'GET',
    path: '/api/billing/amendments/{id}/credit-note.pdf',
    summary: 'A credit note as PDF: the bill that it names and what it takes off.',
    access: 'payment',
    params: idParams,
    stream: 'file',
    isHeavy: true,
    onReplica: 'current',
  },
})
