import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { LegalEntity, Invoice } from '@tollgate/contract/invoices/invoices.ts'
import { expect, test } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { moneyAnswers } from '../testing/money.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { BooksPage } from '../books/BooksPage.tsx'

const entity: LegalEntity = {
  legalName: 'Ada Premium Ltd',
  addressLines: ['1 Long Street', '1010 Nicosia'],
  country: 'CY',
  taxNumber: 'CY10000001A',
  latinName: '',
  latinAddressLines: [],
  version: 7,
  savedBy: 'client3',
  savedAt: '2026-11-16T00:00:00.000Z',
}
const invoice: Invoice = {
  id: '1',
  kind: 'invoice',
  number: 'SB-2026-000001',
  issuedAt: '2026-11-16T00:00:05.000Z',
  userId: 12,
  userName: 'client3',
  subject: 'bill',
  periodId: '4-12',
  periodStart: '2026-11-09T00:00:00.000Z',
  periodEnd: '2026-11-16T00:00:00.000Z',
  amount: '1945.70',
  corrects: '',
  supplierName: 'Ada Premium Ltd',
  supplierTaxNumber: 'CY10000001A',
  supplierCountry: 'CY',
  customerName: 'Gates Networks GmbH',
}
const note: Invoice = {
  ...invoice,
  id: '2',
  kind: 'credit_note',
  number: 'CN-2026-000001',
  amount: '5.00',
  corrects: 'SB-2026-000001',
}

function open(answers = {}, role: 'admin' | 'support' = 'admin') {
  return renderApp(<BooksPage />, {
    url: '/books?tab=invoices',
    user: { ...admin, role },
    answers: {
      ...moneyAnswers,
      'GET /api/billing/all-invoices': [note, invoice],
      'GET /api/billing/missing-entities': { isOwnCompanyMissing: false, clientCount: 0, clients: [] },
      'GET /api/billing/legal-entities/12': entity,
      'GET /api/billing/own-company': {
        ...entity,
        version: 0,
        legalName: '',
        addressLines: [],
        country: '',
      },
      ...answers,
    },
  })
}

test('each document has its number, what it is for, its amount and its file', async () => {
  open()
  const table = await screen.findByRole('table', { name: 'Invoices' })
  const row = (await within(table).findByText('CN-2026-000001')).closest('tr') as HTMLElement
  expect(row.textContent).toContain('corrects SB-2026-000001')
  expect(row.textContent).toContain('Bill #4-12')
  expect(row.textContent).toMatch(/[−-]5\.00/)
  const link = within(table).getByRole('link', { name: /Download SB-2026-000001$/ })
  expect(link.getAttribute('href')).toBe('/api/billing/invoices/1/invoice.pdf')
})

test('staff correct a client’s legal entity; the lines of its address are sent as lines', async () => {
  const { requests } = open({ 'PUT /api/billing/legal-entities/12': { ...entity, version: 8 } })
  await userEvent.click(
    (await screen.findAllByRole('button', { name: 'Legal entity of client3' }))[0] as HTMLElement,
  )
  const dialog = await screen.findByRole('dialog', { name: 'Legal entity of client3' })
  const address = await within(dialog).findByLabelText('Address')
  expect(address).toHaveProperty('value', '1 Long Street\n1010 Nicosia')
  await userEvent.clear(address)
  await userEvent.type(address, ' 2 Short Street {enter}{enter}1010 Nicosia')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }))
  await screen.findAllByText('Legal Entity Saved')
  expect(requests.find(({ method }) => method === 'PUT')?.body).toMatchObject({
    legalName: 'Ada Premium Ltd',
    addressLines: ['2 Short Street', '1010 Nicosia'],
    version: 7,
  })
})

test('what invoices cannot print stands at its field, and an empty form asks for what is required', async () => {
  const message = 'Invoices cannot print 上. Enter the name in Latin letters as well.'
  open({
    'PUT /api/billing/own-company': refusal(400, {
      code: 'invalid',
      message,
      fields: { latinName: message },
    }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Our legal entity' }))
  const dialog = await screen.findByRole('dialog', { name: 'Our legal entity' })
  await userEvent.click(await within(dialog).findByRole('button', { name: 'Save' }))
  for (const text of ['Legal name is required', 'Address is required', 'Choose a country'])
    expect((await within(dialog).findAllByText(text)).length).toBeGreaterThan(0)
  await userEvent.type(within(dialog).getByLabelText('Legal Name'), '上')
  await userEvent.type(within(dialog).getByLabelText('Address'), 'Street 1')
  await userEvent.selectOptions(within(dialog).getByLabelText('Country'), 'CN')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }))
  expect((await within(dialog).findAllByText(message)).length).toBeGreaterThan(0)
})

test('staff read whose entity is missing; only an admin enters the own company’s', async () => {
  open(
    {
      'GET /api/billing/all-invoices': [],
      'GET /api/billing/missing-entities': {
        isOwnCompanyMissing: true,
        clientCount: 22,
        clients: [{ userId: 12, userName: 'client3' }],
      },
    },
    'support',
  )
  expect(await screen.findByText('No invoices are issued: our legal entity is missing')).toBeDefined()
  expect(screen.getByText('An admin enters it here.')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Our legal entity' })).toBeNull()
  expect(screen.getByText('The invoices of 22 clients wait for their legal entity')).toBeDefined()
  expect(screen.getByText('and 21 more')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Enter legal entity of client3' }))
  expect(await screen.findByRole('dialog', { name: 'Legal entity of client3' })).toBeDefined()
})
