import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { OfferedNumber } from '@tollgate/contract/numbers/stock.ts'
import { expect, test } from 'vitest'
import { admin, renderApp } from '../../testing/render.tsx'
import { NumberStockPage } from './NumberStockPage.tsx'

const offered: OfferedNumber = {
  id: '7',
  number: '449098790142',
  country: 'United Kingdom',
  countryCode: '+44',
  operator: '',
  type: 'premium',
  pricePerSms: '0.5',
  scheduled: { rate: '0.045', startsAt: '2026-11-30T00:00:00.000Z', setBy: '' },
}

test('a price that starts later stands in the list, and where the number is taken', async () => {
  renderApp(<NumberStockPage />, {
    url: '/number-stock',
    user: { ...admin, role: 'user' },
    answers: {
      'GET /api/number-stock': [offered],
      'GET /api/number-stock/terms': { offer: 'take', takesLeft: 3, countries: [] },
    },
  })
  const row = (await screen.findByText('+44 909 879 0142')).closest('tr')!
  expect(row.textContent).toContain('0.500 USD0.045 USD from 30/11/2026')
  await userEvent.click(await screen.findByRole('button', { name: 'Take +44 909 879 0142' }))
  expect((await screen.findByRole('alertdialog')).textContent).toContain('0.045 USD from 30/11/2026')
})
