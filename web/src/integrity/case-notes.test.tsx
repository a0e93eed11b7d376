// What staff note on a case, in its drawer.
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { IntegrityCaseView } from '@tollgate/contract/integrity/integrity.ts'
import { expect, test } from 'vitest'
import { sent } from '../testing/api-stub.ts'
import { renderApp, support } from '../testing/render.tsx'
import { CaseDrawer } from './CaseDrawer.tsx'

const found: IntegrityCaseView = {
  id: '12',
  rule: 'block',
  level: 'hold',
  state: 'open',
  userId: 3,
  userName: 'acme',
  day: '2026-11-29',
  explanation: '',
  explanationWords: [],
  senderCount: 0,
  messageCount: 6,
  amountUsd: '0.30',
  firstAt: '2026-11-29T10:00:00.000Z',
  versionId: 1,
  createdAt: '2026-11-29T10:00:00.000Z',
  heldCount: 6,
  heldUsd: '0.30',
  lateCount: 0,
  lateUsd: '0.00',
  isBeingHeld: false,
  billedFrom: null,
  owner: '',
  dueAt: '2026-12-01T10:00:00.000Z',
  asked: null,
  decidedBy: '',
  decidedAt: null,
  decisionReason: '',
  rememberedUntil: null,
  hours: [],
  usualHours: null,
  ordinaryDay: null,
  messages: [],
}
const note = {
  id: '1',
  authorId: 9,
  author: 'ada',
  text: 'The carrier was asked.',
  createdAt: '2026-11-29T11:00:00.000Z',
}

test('staff read the notes on a case and add one', async () => {
  const { requests } = renderApp(<CaseDrawer id="12" shown={found} onClose={() => undefined} />, {
    user: support,
    answers: {
      'GET /api/integrity/cases/12': found,
      'GET /api/integrity/cases/12/senders': [],
      'GET /api/notes': [note],
      'POST /api/notes': note,
    },
  })
  const notes = await screen.findByRole('region', { name: 'Notes' })
  expect(await within(notes).findByText('The carrier was asked.')).toBeDefined()
  expect(requests.find(({ path }) => path === '/api/notes')?.query.toString()).toBe(
    'objectType=integrity_case&objectId=12',
  )
  await userEvent.type(within(notes).getByLabelText('New note'), 'They answer on Monday.')
  await userEvent.click(within(notes).getByRole('button', { name: 'Add Note' }))
  await waitFor(() =>
    expect(sent(requests)[0]?.body).toEqual({
      objectType: 'integrity_case',
      objectId: '12',
      text: 'They answer on Monday.',
    }),
  )
})
