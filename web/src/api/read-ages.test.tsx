import { render, screen, waitFor } from '@testing-library/react'
import { analyticsRoutes } from '@tollgate/contract/analytics/analytics.ts'
import { expect, test } from 'vitest'
import { stubApi } from '../testing/api-stub.ts'
import { call } from './call.ts'
import { ReadAgeNote } from './ReadAgeNote.tsx'

const report = { total: { count: 0, delivered: 0, bill: '0', amountUsd: '0' }, rows: [], left: 0 }
const answered = (readFrom: string) =>
  stubApi({
    'GET /api/analytics': new Response(JSON.stringify(report), {
      headers: { 'content-type': 'application/json', 'x-read-from': readFrom },
    }),
  })
const ask = () => call(analyticsRoutes.analyse, { query: { dateFrom: '2026-01-01', dateTo: '2026-01-02' } })

test('figures of a replica say how old they may be, and those of the primary nothing', async () => {
  render(<ReadAgeNote of={analyticsRoutes.analyse} />)
  expect(screen.queryByText(/read replica/)).toBeNull()
  answered('replica; age=3')
  await ask()
  expect(await screen.findByText('From the read replica, up to 3 s old')).toBeDefined()
  answered('primary')
  await ask()
  await waitFor(() => expect(screen.queryByText(/read replica/)).toBeNull())
})
