import { expect, test } from 'vitest'
import { booksSearch } from './books/search.ts'
import { paymentManagementSearch } from './billing/search.ts'
import { newPlaceOf } from './old-addresses.ts'

test.each([
  ['invoices', { invoiceText: 'acme', invoice: 'credit_note' }],
  ['adjustments', { adjustment: 'pending' }],
])('the former tab %s of Payment Management is on Books, with its filters', (tab, filters) => {
  const search = { tab, ...filters }
  expect(newPlaceOf('/payment-management', search)).toEqual({ path: '/books', search })
  expect(booksSearch.parse(search)).toMatchObject(search)
})

test.each(['/payment-management', '/books'])('what was aged on %s is the list of balances', (path) => {
  const place = newPlaceOf(path, { tab: 'aging' })
  expect(place).toEqual({ path: '/books', search: { show: 'owed' } })
  expect(booksSearch.parse(place?.search)).toMatchObject({ tab: 'accounts', show: 'owed' })
})

test('the payouts of Number Inventory are in Payment Management; the stock stays where it is', () => {
  expect(newPlaceOf('/number-inventory', { payout: 'pending' })).toEqual({
    path: '/payment-management',
    search: { payout: 'pending', view: 'payouts' },
  })
  expect(newPlaceOf('/number-inventory', { search: '4477' })).toBeUndefined()
  expect(newPlaceOf('/payment-management', { tab: 'holds' })).toBeUndefined()
})

test.each([
  [{ tab: 'payables' }, { tab: 'bills', view: 'pay' }],
  [
    { tab: 'payables', payable: 'no_address', payableText: 'acme' },
    { tab: 'bills', view: 'client', payableText: 'acme' },
  ],
  [
    { tab: 'payables', payable: 'confirming' },
    { tab: 'bills', view: 'run' },
  ],
  [
    { tab: 'transfers', transfer: 'waiting' },
    { tab: 'history', list: 'transfers', transfer: 'waiting' },
  ],
  [
    { tab: 'holds', held: '#4' },
    { tab: 'review', review: 'holds', held: '#4' },
  ],
  [
    { tab: 'unowned', unownedBy: 'day' },
    { tab: 'review', review: 'unowned', unownedBy: 'day' },
  ],
  [
    { search: 'acme', status: 'paid', sort: 'newest', order: 'asc' },
    {
      tab: 'bills',
      view: 'bills',
      billText: 'acme',
      billStatus: 'paid',
      billSort: 'newest',
      billOrder: 'asc',
    },
  ],
  [{ open: '3-17' }, { tab: 'bills', view: 'pay', open: '3-17' }],
  [
    { tab: 'history', text: 'ab12' },
    { tab: 'history', list: 'payments', text: 'ab12' },
  ],
])('an address or saved view of before, %j, shows what it showed', (search, state) => {
  expect(paymentManagementSearch.parse(search)).toMatchObject(state)
})

test.each(['/webhooks', '/interconnection-api'])('a drawer that was open on %s is a page', (path) => {
  expect(newPlaceOf(path, { tab: 'endpoints', open: '3', delivery: 'failed' })).toEqual({
    path: '/endpoints/3',
    search: { delivery: 'failed' },
  })
  expect(newPlaceOf(path, { tab: 'endpoints', client: 'client1' })).toBeUndefined()
})
