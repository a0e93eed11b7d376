import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { NumberImport } from '@tollgate/contract/numbers/import.ts'
import { expect, test } from 'vitest'
import { renderApp } from '../../testing/render.tsx'
import { ImportHistory } from './ImportHistory.tsx'

const made: NumberImport = {
  id: '4',
  fileName: 'march.csv',
  importedBy: 'support1',
  importedAt: '2026-11-19T14:31:58.102Z',
  lineCount: 12,
  addedCount: 12,
  state: 'imported',
  undoneBy: '',
  undoneAt: null,
  removedCount: 0,
}

test('what undoing an import would remove is counted anew at each opening', async () => {
  let removableCount = 12
  renderApp(<ImportHistory onClose={() => undefined} />, {
    answers: {
      'GET /api/premium-numbers/imports': [made],
      'GET /api/premium-numbers/imports/4': () => ({ ...made, removableCount, kept: [] }),
    },
  })
  for (const label of ['Remove 12 numbers', 'Remove 3 numbers']) {
    await userEvent.click(await screen.findByRole('button', { name: 'Undo import of march.csv' }))
    expect(await screen.findByRole('button', { name: label })).toBeDefined()
    await userEvent.click(screen.getByRole('button', { name: 'Back' }))
    removableCount = 3
  }
})
