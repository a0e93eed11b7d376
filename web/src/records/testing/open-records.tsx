import { screen } from '@testing-library/react'
import type { RecordDetail } from '@tollgate/contract/records/records.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { afterEach, beforeEach } from 'vitest'
import { setReaderFormats } from '../../language/reader.ts'
import { type ApiStubs } from '../../testing/api-stub.ts'
import { stubFeed } from '../../testing/feed.ts'
import { recordAt } from '../../testing/records.ts'
import { admin, renderApp } from '../../testing/render.tsx'
import { RecordsPage } from '../RecordsPage.tsx'

export const rows = [recordAt(2), recordAt(1)]
export const detail: RecordDetail = {
  ...recordAt(2),
  numberId: '7',
  clientId: 3,
  rate: { usd: '0.05', from: 'global' },
  settlesIn: { periodStart: '2026-11-16T00:00:00Z', periodEnd: '2026-11-23T00:00:00Z', settlement: 'bill' },
  flags: [],
  sent: null,
  longMessage: null,
  timeline: [
    {
      at: '2026-11-19T14:31:57.482Z',
      step: 'received',
      title: 'Received',
      detail: 'submit_sm from bind acme',
      detailWords: [sentence('submit_sm from bind {name}', { name: 'acme' })],
      status: 'ok',
    },
    {
      at: '2026-11-19T14:31:57.491Z',
      step: 'committed',
      title: 'Committed',
      detail: '',
      detailWords: [],
      status: 'ok',
    },
  ],
}

export let feed: ReturnType<typeof stubFeed>
beforeEach(() => {
  feed = stubFeed()
})

afterEach(() => setReaderFormats())

export function open(url = '/sms-records', answers: ApiStubs = {}, user = admin) {
  return renderApp(<RecordsPage />, {
    url,
    user,
    answers: {
      'GET /api/records': rows,
      'GET /api/records/summary': { count: 12_846, bill: '29927.2', amountUsd: '642.3' },
      'GET /api/records/filters': {
        ranges: ['0900', '0901'],
        clients: ['client1', 'client2'],
        gateways: [],
        countries: [],
        withoutReceiver: [],
      },
      [`GET /api/records/${detail.id}`]: detail,
      ...answers,
    },
  })
}

export async function untilLoaded() {
  await screen.findByText('+44 909 879 0002')
}

/** The numbers on screen, from top to bottom. */
export function shownNumbers(): readonly string[] {
  return [...document.querySelectorAll('tbody tr')].flatMap((row) =>
    [...row.querySelectorAll('.phone-number')].slice(0, 1).map((cell) => (cell.textContent ?? '').slice(-4)),
  )
}
